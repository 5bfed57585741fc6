"""Signs and codes of money, which stand before or behind a number."""

import re

_SIGNS = (
    "€ $ £ ¥ ₹ ₽ ₩ ₺ ₴ ₫ ₪ ฿ ₦ ₱ ₡ ₲ ₵ ₸ ₼ ₾ ₨ R$ US$ A$ AU$ C$ CA$ HK$ NT$ S$ SG$ NZ$ MX$ RD$ J$ "
    "TT$ N$ S/ Rs Rs. Rp Rp. KSh Ksh kr kr. zł Kč Fr. руб руб. р. грн"
)
# Codes of dinars and the rial of Oman are not here: these have three decimals.
_CODES = (
    "EUR USD GBP JPY CHF CNY RMB INR SEK NOK DKK ISK PLN CZK HUF RON BGN RSD TRY RUB UAH GEL KZT "
    "BRL MXN ARS CLP COP UYU CAD AUD NZD ZAR NGN KES GHS MAD EGP ILS AED SAR QAR PKR BDT LKR SGD "
    "HKD TWD KRW THB MYR IDR VND"
)
ALL = frozenset([*_SIGNS.split(), *_CODES.split(), *"元円圆원"])
"""Signs and codes."""

PATTERN = "|".join(map(re.escape, sorted(ALL, key=lambda sign: (-len(sign), sign))))
"""Regular expression of any of them, the longest first."""

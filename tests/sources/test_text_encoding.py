"""Texts that are not UTF-8 are read in the encoding in which spreadsheets write."""

import pytest

import kinfolk as kf
from kinfolk.sources import text_encoding
from kinfolk.sources.contents import Contents

TEXTS = {
    "gbk": ["门店,年龄,会员\n北京,31,是\n", "shop,vip\na,是\nb,否\n", "城市\n上海\n广州\n深圳\n"],
    "cp1251": [
        "Имя,Объём\nОльга,ПЬЕСА\nЮлия,МАЯК\nЯна,ЭХО\n",
        "ГОРОД,ОБЛАСТЬ\nРЯЗАНЬ,ТЮМЕНЬ\n",
        "місто,вік\nКиїв,31\nЄвпаторія,29\nІзмаїл,40\n",
        "Город,Возраст\nМосква,31\nПермь,29\n",
        "shop,пол\na,муж\nb,жен\n",
    ],
    "cp932": [
        "店舗,年齢,性別\n東京店,31,男性\n大阪店,29,女性\n",
        "店,カテゴリー\nあ,はい\nい,いいえ\n",
    ],
    "cp949": ["도시,나이,성별\n서울,31,남성\n부산,29,여성\n"],
    "big5": ["城市,年齡,性別\n臺北,31,男性\n高雄,29,女性\n"],
    "cp1250": [
        "miesiąc,późno\npaździernik,tak\nstyczeń,nie\n",
        "miasto,płeć\nŁódź,mężczyzna\nGdańsk,kobieta\nWałbrzych,kobieta\n",
        "miasto,płeć\nToruń,K\nPoznań,M\n",
        "kolor\nżółty\nmały\n",
        "dzień\nśroda\nwieś\n",
        "city\nŁódź\nLublin\n",
        "miasto,ilość\nKielce,2\nZamość,3\n",
        "płaca,zgoda\n5,będą\n6,są\n",
        "město,věk,příjem\nPlzeň,31,nízký\nDěčín,29,střední\nPraha,30,šedá\n",
        "město,příjem\nDěčín,nízký\nPříbram,střední\n",
        "grad,spol\nČakovec,ženski\nNiš,muški\n",
        "város,nő\nGyőr,férfi\nSzékesfehérvár,nő\nBükk,férfi\n",
    ],
    "cp1253": [
        "πόλη,ηλικία,φύλο\nΑθήνα,31,άνδρας\nΠάτρα,29,γυναίκα\nΘεσσαλονίκη,40,γυναίκα\n",
        "shop,πελάτης\na,ναι\nb,όχι\n",
    ],
    "cp1254": [
        "şehir,yaş,cinsiyet\nİstanbul,31,kadın\nAğrı,29,erkek\nÇankırı,40,kadın\n",
        "ürün,fiyatı\nçay,5\nekmek,2\n",
        "yaş,kış\n1,ılık\n",
    ],
    "mac_roman": [
        "ville,âge\nOrléans,crème brûlée\nBesançon,là où l’été\n",
        "Größe,Stadt\n1,München\n2,Köln\n",
        "ciudad,región\nMálaga,Andalucía\nCórdoba,Andalucía\nLogroño,Rioja\n",
        "by,kunde\nÅrhus,Søren\nHelsingør,André Blåbær\n",
        "giorno,perché\nlunedì,è più\nvenerdì,caffè\n",
    ],
    "cp1252": [
        "borg,nafn\nAkureyri,Þórður\nÝsa,Guðrún\n",
        "nafn,Ýmir\nSigurður,Gürtner\n",
        "who,what\nDavid,north–south and he’s…fine\nŠárka,1990–2000\n",
        "linn\nšokolaad\nžanr\n",
        "shop,note\nLeeds,John’s “best”\nYork,it’s – fine\n",
        "ciudad,¿Activo?\nNº 1ª,sí\nA Coruña,no\n",
        "by,kunde\nÅrhus,Søren Kjær\nAalborg,André\n",
        "cidade,opinião\nSão Paulo,não\nBelém,razões à mão\n",
        "giorno,così\nlunedì,è più\nvenerdì,perché\n",
        "plot,size m³ x\na,5 m³\nb,7 m²\n",
        "size,note¹\n5 m³,£5\n7 m³,£10\n",
        "œuvre,goût\nœdème,fête\ncœur,forêt\n",
        "tamaño,año\n5 m³,niño\n6 cm³,león\n",
        "dyr,træ\nælling,bær\n",
        "fruta,você\ncafé,português\n",
        "ville,âge\nBesançon,là où l’été\nOrléans,crème brûlée\n",
        "linn,sõna\nTallinn,šokolaad õhtul\nPärnu,öö\n",
        "Größe,Maß\n1,2\n",
        "nom,prénom\nÉlève,Zoë\n",
        "kaupunki\nhyvää päivää\nJyväskylä\n",
        "sana\nää\n",
        "precio €,año\n1,2\n",
    ],
}


@pytest.mark.parametrize(("encoding", "text"), [(e, t) for e, ts in TEXTS.items() for t in ts])
def test_a_text_is_read_in_its_encoding_and_that_is_told(encoding, text):
    found, name = text_encoding.decoded("t.csv", Contents.of_bytes(text.encode(encoding)))
    assert found.read().decode() == text
    assert name


def test_columns_of_a_chinese_spreadsheet_have_their_names(tmp_path):
    path = tmp_path / "t.csv"
    rows = "".join(
        f"{city},{age},{vip}\n" for city, age, vip in [("上海", 31, "是"), ("广州", 45, "否")] * 9
    )
    path.write_bytes(f"城市,年龄,会员\n{rows}".encode("gb18030"))
    found = kf.describe(path, tasks="城市")
    assert [(c.name, c.kind) for c in found.columns] == [("年龄", "amount"), ("会员", "yes/no")]
    assert "was read as GB18030 (Chinese)" in found.notes[0]


def test_letters_far_from_the_beginning_tell_the_encoding():
    text = "name\n" + "Ida\n" * 2**19 + "Élan\nÉmile\n"
    found, _ = text_encoding.decoded("t.csv", Contents.of_bytes(text.encode("cp1252")))
    assert found.read().decode() == text

"""Tables in blocks of rows, for data larger than memory."""

from kinfolk.blocks.block import Block as Block
from kinfolk.blocks.blocks import Blocks as Blocks
from kinfolk.blocks.blocks import Rows as Rows
from kinfolk.blocks.sources import is_dask as is_dask

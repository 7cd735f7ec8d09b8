"""The book's picture is the one that its command writes."""

from PIL import Image

from attnbook import plots
from tools.hero import SHARED, STATIC, main


def test_the_picture_is_up_to_date():
    assert (STATIC / "hero.svg").read_text(encoding="utf-8") == plots.book_in_one_picture().svg


def test_the_picture_for_links_has_their_size_and_is_drawn(tmp_path):
    main(tmp_path)
    for folder in (STATIC, tmp_path):
        with Image.open(folder / "hero.png") as picture:
            assert picture.size == SHARED
            assert len(picture.convert("RGB").getcolors(1 << 20)) > 50
    assert (STATIC / "hero.png").stat().st_size < 100_000

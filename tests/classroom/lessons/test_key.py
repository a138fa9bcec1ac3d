"""The printable key: every card and exercise, as the lessons' modules have them."""

import html

from minigrad.classroom.lessons import every_card, every_lesson
from tools import papers


def test_every_solution_card_and_sentence_is_there():
    page = html.unescape(papers.lessons_key())
    for name, card in every_card().items():
        assert f"<b>{name}</b> {card.question}" in page
    for module in every_lesson().values():
        for exercise in getattr(module, "EXERCISES", ()):
            assert f"<h3>{exercise.name}: " in page, "its heading in the notebook"
            assert all(hint in page for hint in exercise.hints)
            assert all(sentence in page for sentence in exercise.mistakes.values())
            lines = [line.strip() for line in exercise.solution.splitlines() if line.strip()]
            assert all(line in page for line in lines)

"""Draws the shipped bundle `strokes`: three concepts in pictures of strokes, marked where they are.

    python3 models/concepts/tests/strokes.py models/concepts/shipped/strokes   # numpy 2.4.6

Each picture has the stroke that its concept is about and another one elsewhere, at random. The bundle is for trying the
task out and for tests, and says nothing about any model.
"""
import json
import pathlib
import sys

import numpy as np

SIDE, SAMPLES = 28, 10
rng = np.random.default_rng(55)
ROWS = {"upper": (2, 9), "middle": (10, 17), "lower": (18, 25)}
rows, columns = np.mgrid[0:SIDE, 0:SIDE]


def stroke(shape, position):
    """A stroke of grey values in 0…1, within a third of the picture."""
    low, high = ROWS[position]
    middle = (low + high) / 2 + rng.uniform(-1, 1)
    across = rng.uniform(9, 18)
    if shape == "circle":
        away = np.abs(np.hypot(rows - middle, columns - across) - 3.2)
    elif shape == "horizontal":
        away = np.hypot(rows - middle, np.maximum(np.abs(columns - across) - 6, 0))
    else:
        away = np.hypot(np.maximum(np.abs(rows - middle) - 3, 0), columns - across)
    return np.clip(1.6 - away, 0, 1)


def sample(shape, position):
    """A picture, and where its stroke is: everything within two pixels of it."""
    other_place = rng.choice([place for place in ROWS if place != position])
    other = stroke(rng.choice(["circle", "horizontal", "vertical"]), other_place)
    own = stroke(shape, position)
    # Pixels beyond the border are none: what lies at one side is not marked at the other.
    beyond = np.pad(own > 0.3, 2)
    near = np.zeros_like(own, bool)
    for down in range(5):
        for right in range(5):
            near |= beyond[down:down + SIDE, right:right + SIDE]
    picture = np.maximum(own, other * 0.9)
    return np.round(picture * 255).astype("u1"), np.where(near, 255, 0).astype("u1")


def samples(shape, position):
    drawn = [sample(shape, position) for _ in range(SAMPLES)]
    return np.stack([picture for picture, _ in drawn]), np.stack([where for _, where in drawn])


def words(english, german, spanish):
    return {"en": english, "de": german, "es": spanish}


def term(name, text, definition=None):
    return {"id": name, "text": text} | ({"definition": definition} if definition else {})


CONCEPTS = [("s1", "upper", "circle"), ("s2", "lower", "horizontal"), ("s3", "middle", "vertical")]
card = {
    "format": 1, "name": "strokes", "title": "Strokes, marked as they were drawn", "kind": "manual",
    "vocabulary": {
        "name": "strokes", "combined": True, "second_set": True,
        "groups": [
            {"id": "position", "text": words("Position", "Lage", "Posición"), "terms": [
                term("upper", words("upper", "oben", "arriba")),
                term("middle", words("middle", "Mitte", "en medio")),
                term("lower", words("lower", "unten", "abajo"))]},
            {"id": "shape", "text": words("Shape", "Form", "Forma"), "terms": [
                term("circle", words("a circle", "ein Kreis", "un círculo"),
                     words("A closed round line.", "Eine geschlossene runde Linie.", "Una línea redonda cerrada.")),
                term("horizontal", words("a horizontal line", "eine waagerechte Linie", "una línea horizontal"),
                     words("A straight line from left to right.", "Eine gerade Linie von links nach rechts.",
                           "Una línea recta de izquierda a derecha.")),
                term("vertical", words("a vertical line", "eine senkrechte Linie", "una línea vertical"),
                     words("A straight line from top to bottom.", "Eine gerade Linie von oben nach unten.",
                           "Una línea recta de arriba abajo."))]}]},
    "display": "in_picture", "highlight_above": 0.2,
    "shape": {"height": SIDE, "width": SIDE, "channels": 1}, "samples": SAMPLES,
    "concepts": [{"id": name, "terms": {"position": position, "shape": shape}} for name, position, shape in CONCEPTS],
    "example": {
        "terms": {"position": "lower", "shape": "circle"},
        "explanation": words("In each picture the marked region is a circle near the bottom.",
                             "In jedem Bild ist der markierte Bereich ein Kreis im unteren Teil.",
                             "En cada imagen la zona marcada es un círculo en la parte de abajo.")},
}
folder = pathlib.Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)
(folder / "card.json").write_text(json.dumps(card, ensure_ascii=False, indent=2) + "\n")
drawn = [samples(shape, position) for _, position, shape in CONCEPTS]
np.save(folder / "pictures.npy", np.stack([pictures for pictures, _ in drawn]))
np.save(folder / "maps.npy", np.stack([maps for _, maps in drawn]))
pictures, maps = samples("circle", "lower")
np.save(folder / "example_pictures.npy", pictures)
np.save(folder / "example_maps.npy", maps)
print([int(maps.sum()) // 255 for _, maps in drawn], [int(p.sum()) for p, _ in drawn])

# Shapes, of which not all are asked for.

def name_of(n_sides):
    if n_sides == 3:
        return "triangle"
    return "polygon"


def never_called():
    return 1


assert name_of(4) == "polygon"

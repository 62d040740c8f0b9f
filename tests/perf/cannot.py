"""What every part of a measurement raises when it cannot be made."""


class CannotMeasure(Exception):
    pass

"""A plain FAST 1.1 encoder for the templates of the demo feed: the independent twin of decoders/fast.

Reads the same template XML and knows integers, ASCII strings, decimals and sequences with the operators constant,
default, copy, increment and delta. Written for clarity; it shares nothing with the decoder but the specification.
"""
import xml.etree.ElementTree as xml

INTEGERS = {"uInt32": (0, 2**32 - 1), "int32": (-2**31, 2**31 - 1), "uInt64": (0, 2**64 - 1), "int64": (-2**63, 2**63 - 1)}
OPERATORS = ("constant", "default", "copy", "increment", "delta")
UNDEFINED, EMPTY = object(), object()  # states of a dictionary entry, besides a value


# --- bytes (FAST 1.1, 10.2 and 10.6) --------------------------------------------------------------------

def stop_bit(groups):
    """7-bit groups, first one first, as an entity: the last byte carries the stop bit."""
    return bytes(groups[:-1]) + bytes([groups[-1] | 0x80])


def unsigned(value):
    groups = [value & 0x7F]
    while value > 0x7F:
        value >>= 7
        groups.insert(0, value & 0x7F)
    return stop_bit(groups)


def signed(value):
    groups = [value & 0x7F]
    while not -64 <= value <= 63:
        value >>= 7
        groups.insert(0, value & 0x7F)
    return stop_bit(groups)


def ascii_text(text, nullable):
    """A text that is empty or starts with NUL is marked by a zero, or two where one zero is NULL (10.6.3)."""
    codes = list(text.encode("ascii"))
    marked = not codes or codes[0] == 0
    return stop_bit(([0, 0] if nullable else [0]) * marked + codes)


def integer(value, is_signed, nullable):
    """NULL is a zero; so that it stays free, a nullable value from zero up moves up by one (10.6.1)."""
    if value is None:
        return unsigned(0)
    if nullable and value >= 0:
        value += 1
    return signed(value) if is_signed else unsigned(value)


def presence_map(bits):
    """Seven bits to a byte, first one on top; trailing zero groups are not sent, one group always is (10.5)."""
    groups = []
    for start in range(0, len(bits), 7):
        groups.append(sum(bit << (6 - place) for place, bit in enumerate(bits[start:start + 7])))
    while len(groups) > 1 and groups[-1] == 0:
        groups.pop()
    return stop_bit(groups or [0])


# --- templates ------------------------------------------------------------------------------------------

class Scalar:
    """One field with its operator; a decimal with operators of its own is two of these."""

    def __init__(self, kind, key, optional, operator, initial):
        self.kind, self.key, self.optional = kind, key, optional
        self.operator, self.initial = operator, initial

    @property
    def takes_bit(self):
        return self.operator in ("default", "copy", "increment") or (self.operator == "constant" and self.optional)

    def wire(self, value):
        if self.kind == "string":
            return stop_bit([0]) if value is None else ascii_text(value, self.optional)
        if value is not None:
            low, high = INTEGERS[self.kind]
            if not low <= value <= high:
                raise ValueError(f"{self.key}: {value} is no {self.kind}")
        return integer(value, self.kind.startswith("int"), self.optional)

    def encode(self, value, state, bits):
        """Appends this field's bit, if it takes one, and returns its bytes."""
        if value is None and not self.optional:
            raise ValueError(f"{self.key} is mandatory")
        return getattr(self, "encode_" + (self.operator or "none"))(value, state, bits)

    def encode_none(self, value, _state, _bits):
        return self.wire(value)

    def encode_constant(self, value, _state, bits):
        if value not in (None, self.initial):
            raise ValueError(f"{self.key} is always {self.initial}")
        if self.optional:
            bits.append(value is not None)
        return b""

    def encode_default(self, value, _state, bits):
        bits.append(value != self.initial)
        return self.wire(value) if value != self.initial else b""

    def encode_copy(self, value, state, bits):
        return self._encode_predicted(value, state, bits, step=0)

    def encode_increment(self, value, state, bits):
        return self._encode_predicted(value, state, bits, step=1)

    def _encode_predicted(self, value, state, bits, step):
        """Sends nothing when the decoder comes to the same value by itself (6.3.5, 6.3.6)."""
        previous = state.get(self.key, UNDEFINED)
        if previous is EMPTY:
            predicted = None
        elif previous is UNDEFINED:
            predicted = self.initial
        else:
            predicted = previous + step if step else previous
        cannot_send_nothing = predicted is None and not self.optional
        state[self.key] = EMPTY if value is None else value
        bits.append(cannot_send_nothing or value != predicted)
        return self.wire(value) if bits[-1] else b""

    def encode_delta(self, value, state, _bits):
        if value is None:
            return unsigned(0)
        if self.kind == "string":
            raise NotImplementedError("string delta")
        base = state.get(self.key, UNDEFINED)
        base = (self.initial or 0) if base is UNDEFINED else base
        state[self.key] = value
        return integer(value - base, True, self.optional)


class Decimal:
    """A value is a pair (mantissa, exponent)."""

    def __init__(self, key, optional, exponent, mantissa):
        self.key, self.optional, self.exponent, self.mantissa = key, optional, exponent, mantissa

    @property
    def takes_bit(self):
        return self.exponent.takes_bit or self.mantissa.takes_bit

    def encode(self, value, state, bits):
        mantissa, exponent = value if value is not None else (None, None)
        content = self.exponent.encode(exponent, state, bits)
        return content if exponent is None else content + self.mantissa.encode(mantissa, state, bits)


class Sequence:
    def __init__(self, key, optional, length, fields):
        self.key, self.optional, self.length, self.fields = key, optional, length, fields

    @property
    def takes_bit(self):
        return self.length.takes_bit

    def encode(self, rows, state, bits):
        content = self.length.encode(None if rows is None else len(rows), state, bits)
        has_map = any(field.takes_bit for _, field in self.fields)
        for row in rows or ():
            row_bits = []
            row_content = encode_fields(self.fields, row, state, row_bits)
            content += (presence_map(row_bits) if has_map else b"") + row_content
        return content


def encode_fields(fields, values, state, bits):
    unknown = set(values) - {name for name, _ in fields}
    if unknown:
        raise ValueError(f"no such field: {', '.join(sorted(unknown))}")
    return b"".join(field.encode(values.get(name, field.initial if is_constant(field) else None), state, bits)
                    for name, field in fields)


def is_constant(field):
    return isinstance(field, Scalar) and field.operator == "constant" and not field.optional


def local(element):
    return element.tag.rpartition("}")[2]


def load_scalar(element, kind, key, optional):
    operators = [child for child in element if local(child) in OPERATORS]
    if not operators:
        return Scalar(kind, key, optional, None, None)
    initial = operators[0].get("value")
    if initial is not None and kind != "string":
        initial = int(initial)
    return Scalar(kind, key, optional, local(operators[0]), initial)


def load_field(element):
    kind, name = local(element), element.get("name")
    optional = element.get("presence") == "optional"
    if kind == "decimal":
        parts = {local(child): child for child in element}
        nothing = xml.Element("none")
        return name, Decimal(name, optional, load_scalar(parts.get("exponent", nothing), "int32", name + "/exponent", optional),
                             load_scalar(parts.get("mantissa", nothing), "int64", name + "/mantissa", False))
    if kind == "sequence":
        children = list(element)
        length = load_scalar(children[0], "uInt32", name + "/length", optional) if local(children[0]) == "length" \
            else Scalar("uInt32", name + "/length", optional, None, None)
        return name, Sequence(name, optional, length, [load_field(child) for child in children if local(child) != "length"])
    return name, load_scalar(element, kind, name, optional)


class Encoder:
    """Encodes messages as dictionaries of field values. What the operators remember lives until `reset`."""

    def __init__(self, template_file):
        self.templates = {}
        for template in xml.parse(template_file).getroot():
            self.templates[template.get("name")] = (int(template.get("id")), [load_field(field) for field in template])
        self.reset()

    def reset(self):
        self.state = {}
        self.template_id = None

    def encode(self, template_name, values):
        template_id, fields = self.templates[template_name]
        bits = [template_id != self.template_id]  # the template id is a copy field of its own (10, 10.3)
        identifier = unsigned(template_id) if bits[0] else b""
        self.template_id = template_id
        content = encode_fields(fields, values, self.state, bits)
        return presence_map(bits) + identifier + content

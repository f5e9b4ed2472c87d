"""LZO1Z compression, simple and greedy: enough to write blocks that any decompressor of the format must take."""

MATCH_MIN = 3
NEAR_LENGTH_MAX, NEAR_DISTANCE_MAX = 8, 1792
FAR_LENGTH_SHORT, FAR_DISTANCE_MAX = 33, 16384
END_MARKER = b"\x11\x00\x00"


def extension(count):
    """A length beyond its field: a zero byte for each 255, then the rest, which is never zero."""
    zeros = (count - 1) // 255
    return b"\0" * zeros + bytes([count - 255 * zeros])


class Block:
    def __init__(self):
        self.out = bytearray()
        self.ends_in_match = False

    def literals(self, data):
        """One to three go along with the match before them, more are a run of their own."""
        count = len(data)
        if count == 0:
            return
        if not self.out and count <= 238:
            self.out.append(17 + count)
        elif self.ends_in_match and count <= 3:
            self.out[-1] |= count
        elif count <= 18:
            self.out.append(count - 3)
        else:
            self.out += b"\0" + extension(count - 18)
        self.out += data
        self.ends_in_match = False

    def match(self, length, distance):
        back = distance - 1
        if length <= NEAR_LENGTH_MAX and distance <= NEAR_DISTANCE_MAX:
            self.out.append((length - 1) << 5 | back >> 6)
        elif length <= FAR_LENGTH_SHORT:
            self.out += bytes((32 | length - 2, back >> 6))
        else:
            self.out += b"\x20" + extension(length - FAR_LENGTH_SHORT) + bytes((back >> 6,))
        self.out.append((back & 63) << 2)
        self.ends_in_match = True


def match_length(data, earlier, at):
    length = 0
    while at + length < len(data) and data[earlier + length] == data[at + length]:
        length += 1
    return length


def compress(data):
    block, newest, at, literals_from = Block(), {}, 0, 0
    while at + MATCH_MIN <= len(data):
        key = data[at:at + MATCH_MIN]
        earlier = newest.get(key)
        newest[key] = at
        if earlier is None or at - earlier > FAR_DISTANCE_MAX:
            at += 1
            continue
        length = match_length(data, earlier, at)
        block.literals(data[literals_from:at])
        block.match(length, at - earlier)
        at += length
        literals_from = at
    block.literals(data[literals_from:])
    return bytes(block.out) + END_MARKER

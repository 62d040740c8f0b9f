"""What a report writes, read by parsers that are not ours."""
import re
from html.parser import HTMLParser


def parse_influx(line):
    """The line protocol, by its specification: measurement and tags, fields, time."""
    def split(text, at):
        parts, part, i, quoted = [], "", 0, False
        while i < len(text):
            if text[i] == "\\" and i + 1 < len(text) and text[i + 1] in ',= "\\':
                part += text[i:i + 2]
                i += 2
                continue
            quoted ^= text[i] == '"' and at in (" ", ",") and "=" in part
            if text[i] == at and not quoted:
                parts.append(part)
                part = ""
            else:
                part += text[i]
            i += 1
        return parts + [part]

    def plain(text):
        return re.sub(r"\\([,= ])", r"\1", text)

    def tags_end(text):  # tags hold quotes as they are: the first bare space ends them
        i = 0
        while text[i] != " ":
            i += 2 if text[i] == "\\" and text[i + 1] in ",= " else 1
        return i

    end = tags_end(line)
    keys = re.split(r"(?<!\\),", line[:end])
    tags = dict(map(plain, re.split(r"(?<!\\)=", key)) for key in keys[1:])
    fields_text, time = line[end + 1:].rsplit(" ", 1)
    fields = {}
    for field in split(fields_text, ","):
        key, value = field.split("=", 1)
        if value.startswith('"'):
            value = value[1:-1].replace('\\"', '"').replace("\\\\", "\\")
        elif value in ("true", "false"):
            value = value == "true"
        elif value.endswith("i"):
            value = int(value[:-1])
        else:
            value = float(value)
        fields[key] = value
    return keys[0], tags, fields, int(time)


class Page(HTMLParser):
    """What a page is made of, and what text stands in scripts."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.links, self.raw, self.open, self.visible = [], [], {}, [], ""
        self.embedded = 0
        self.feed(text)
        self.close()

    VOID = {"meta", "link", "br", "img", "input"}

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.tags.append(tag)
        self.links += [attrs[k] for k in ("href", "src") if k in attrs]
        if any(name.startswith("on") for name in attrs):
            raise AssertionError(f"a handler in <{tag}>")
        self.embedded += "data-name" in attrs
        if tag not in self.VOID:
            self.open.append((tag, attrs))

    def handle_endtag(self, tag):
        found, _ = self.open.pop()
        if found != tag:
            raise AssertionError(f"</{tag}> ends <{found}>")

    def handle_data(self, data):
        tag, attrs = self.open[-1] if self.open else ("", {})
        if tag == "script" and "data-name" in attrs:
            self.raw[attrs["data-name"]] = self.raw.get(attrs["data-name"], "") + data
        elif tag not in ("script", "style"):
            self.visible += data

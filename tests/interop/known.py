"""What a client finds and we leave as it is, with the reason: (client, case): reason."""

CLOSED = ("nghttp2 remembers closed streams only with RFC 7540 priorities on; without, it drops what "
          "comes for one, as it must for frames that were under way")
LOWER_ID = ("nghttp2 drops HEADERS whose stream id is not new, on purpose: they may have been under "
            "way")
PRIORITIES = ("the server announces SETTINGS_NO_RFC7540_PRIORITIES and does not look into PRIORITY "
              "frames (RFC 9113, 5.3.2)")

KNOWN = {
    ("h2spec", "http2/5.1/8"): CLOSED,
    ("h2spec", "http2/5.1/9"): CLOSED,
    ("h2spec", "http2/5.1/11"): CLOSED,
    ("h2spec", "http2/5.1/12"): CLOSED,
    ("h2spec", "http2/5.1.1/2"): LOWER_ID,
    ("h2spec", "http2/5.3.1/2"): PRIORITIES,
    ("h2spec", "http2/6.3/1"): PRIORITIES,
}

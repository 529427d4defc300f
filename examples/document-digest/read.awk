# Tool: reads the document that the flow was started with, and hands its text on.

BEGIN {
    json_read()
    # A test of the connection names no document.
    if (json_kind["/context/probe"] == "true") {
        print "{\"document\":\"\",\"text\":\"\"}"
        exit
    }
    path = json_text["/context/document"]
    if (path == "")
        fail("the input names no document")
    text = file_read(path)
    printf "{\"document\":%s,\"text\":%s}\n", json_quote(path), json_quote(text)
}

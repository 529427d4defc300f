# Stands in for an agent that writes; no model takes part. It takes a prompt on standard input and answers with an
# article of two lines about the topic in its context.

BEGIN {
    while ((getline line) > 0)
        last = line
    json_parse(last)
    topic = json_text["/topic"]
    if (topic == "")
        fail("the context has no topic")
    print "# " topic "\n\nA stand-in wrote this; no model took part."
}

# Stands in for a model: no model takes part. It sorts one message, the item that it is called for, by words in it, and
# drafts a reply from a phrase.

BEGIN {
    json_read()
    item = "/context/item"
    sender = json_text[item "/from"]
    words = tolower(json_text[item "/subject"] "\n" json_text[item "/body"])
    if (sender == "")
        fail("the context holds no message")
    name = sender
    sub(/ .*/, "", name)
    if (words ~ /unsubscribe|newsletter/)
        answer("none", "it was sent to many", "")
    else if (words ~ /urgent|cannot|outage|right now/)
        answer("urgent", "somebody cannot work", "we are looking at it now and will call you within the hour.")
    else if (words ~ /invoice|overdue|payment/)
        answer("money", "it is about a payment", "we are checking this with our accounts and will answer by tomorrow.")
    else
        answer("normal", "it asks something", "thank you for your question. We will answer by tomorrow.")
}

function answer(class, reason, reply) {
    if (reply != "")
        reply = "Hello " name ",\\n\\n" reply
    printf "{\"contract_version\":\"symphlo.model-inference-result.v1\",\"output\":%s}\n", \
        json_quote("class: " class "\nreason: " reason "\nreply: " reply)
}

// One flow.

export const flow = { document: "Document" };

/** The query of a bulk operation that reads our metafields of every customer. */
export const allCustomerMetafields = `{
  customers { edges { node { id metafields(namespace: "svc") { edges { node { key type value compareDigest } } } } } }
}`

import { type TSchema, Type } from 'typebox'
import { type ExportEndpoint, rowSchema } from '#exports'
import { exampleRow } from '../example-row.ts'

const Meta = {
  page: Type.Object(
    {
      current_page: Type.Integer({ description: 'The number of this page' }),
      per_page: Type.Integer({ description: 'The number of rows of a full page' })
    },
    { title: 'PageMeta', description: 'Where the page is.' }
  ),
  cursor: Type.Object(
    {
      per_page: Type.Integer({ description: 'The number of rows of a full page' }),
      last_id: Type.Integer({
        description: 'The internal id of the last row; of an empty page, the `since_id` of the request'
      }),
      has_more: Type.Boolean({ description: 'Whether there are rows after it' }),
      timezone: Type.String({ description: 'The time zone of the shop, in which dates are printed' })
    },
    { title: 'CursorMeta', description: 'Where the page is.' }
  )
}

/** The schema of a page of an endpoint, for documents: pages are written as bytes. */
export function pageSchema(endpoint: ExportEndpoint, title: string): TSchema {
  const { $schema: _, ...row } = rowSchema(endpoint)
  const meta =
    endpoint.paging === 'page'
      ? { current_page: 1, per_page: endpoint.pageSize }
      : { per_page: endpoint.pageSize, last_id: 48_211, has_more: false, timezone: 'America/New_York' }
  return Type.Object(
    {
      data: Type.Array(Type.Unsafe<unknown>({ ...row, title: `${title}Row` }), { description: 'The rows' }),
      meta: Meta[endpoint.paging]
    },
    { description: 'A page.', examples: [{ data: [exampleRow(endpoint.fields)], meta }] }
  )
}

import { row, sql, text } from '#kit/postgres'
import { FILTERS, type Filter } from '../../segments/filters.ts'
import type { Api, Resolvers } from '../../wire/api.ts'
import { type PageArgs, pageOf } from '../../wire/connections.ts'

const shown = ({ name, title, type, isMultiple }: Filter) => ({
  __typename: `Segment${type}Filter`,
  id: name,
  queryName: name,
  localizedName: title,
  multiValue: isMultiple,
  ...(type === 'Event' && { returnValueType: 'Boolean' })
})

/** What a person may go on with who writes a query. */
function suggestions(search: string): Filter[] {
  const wanted = search.trim().toLowerCase()
  const byTitle = ({ title }: Filter) => title.toLowerCase().includes(wanted)
  // Events come first, as on the platform.
  return FILTERS.filter(byTitle).toSorted((a, b) => Number(b.type === 'Event') - Number(a.type === 'Event'))
}

const MAX_VALUES = 250

async function tagsOf(api: Api, search: string) {
  return api.db.direct.many(
    row({ tag: text }),
    sql`
    select distinct tag from sandbox.customers, unnest(tags) tag
     where store_id = ${api.shop.storeId} and deleted_at is null and starts_with(lower(tag), lower(${search}))
     order by tag limit ${MAX_VALUES}`
  )
}

export const segmentFilterResolvers: Resolvers = {
  QueryRoot: {
    segmentFilters: (_root: unknown, args: PageArgs) => pageOf(FILTERS.map(shown), args),
    segmentFilterSuggestions: (_root: unknown, { search, ...args }: PageArgs & { search: string }) =>
      pageOf(suggestions(search).map(shown), args),
    segmentValueSuggestions: async (
      _root: unknown,
      { search, filterQueryName, ...args }: PageArgs & { search: string; filterQueryName?: string | null },
      api: Api
    ) => {
      const found = filterQueryName === 'customer_tags' ? await tagsOf(api, search) : []
      return pageOf(
        found.map(({ tag }) => ({ id: `tag ${tag}`, queryName: tag, localizedValue: tag })),
        args
      )
    },
    // Segments of these shops were never saved searches.
    segmentMigrations: (_root: unknown, args: PageArgs) => pageOf<{ id: string }>([], args)
  }
}

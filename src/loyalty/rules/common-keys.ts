import { idText, integer, listOf, meaning, objectOf, textLike, withDefault, withRule, word } from '#kit/json-fields'

const tag = () => textLike('a tag of 1 to 255 characters without a comma', /^[^,]*[^,\s][^,]*$/)

const EVERYBODY = { apply_to: 'all' as const, action: 'include' as const, tags: [] as string[] }

/** Whose purchases and deeds count. */
const customerSettings = withRule(
  objectOf({
    apply_to: meaning(
      'Which customers are named: all, those with a membership that is active, those without one, or those with one of `tags`',
      withDefault(word('all', 'members', 'non_members', 'tags'), EVERYBODY.apply_to)
    ),
    action: meaning(
      'Whether the rule is for them, or for everybody else',
      withDefault(word('include', 'exclude'), EVERYBODY.action)
    ),
    tags: meaning('Tags of customers; one of them is enough', withDefault(listOf(tag(), 50), EVERYBODY.tags))
  }),
  ({ apply_to, action, tags }) => [
    ...(apply_to === 'all' && action === 'exclude'
      ? [{ field: 'action', message: 'must be include where apply_to is all: the rule would be for nobody' }]
      : []),
    ...(apply_to === 'tags' && tags.length === 0
      ? [{ field: 'tags', message: 'must hold at least one tag where apply_to is tags' }]
      : []),
    ...(apply_to !== 'tags' && tags.length > 0
      ? [{ field: 'tags', message: 'must be left out, or apply_to must be tags' }]
      : [])
  ]
)

/** The keys that the rules of every type have. */
export const COMMON_KEYS = {
  customer_settings: meaning('For which customers the rule is', withDefault(customerSettings, EVERYBODY)),
  product_ids: meaning(
    'Numbers of products at the platform: only these count; none for all',
    withDefault(listOf(idText(), 100), [])
  ),
  collection_ids: meaning(
    'Numbers of collections at the platform: only their products count too; none for all',
    withDefault(listOf(idText(), 100), [])
  ),
  tier_ids: meaning(
    'Ids of tiers of loyalty: only customers who have one of them; none for all',
    withDefault(listOf(integer(1, Number.MAX_SAFE_INTEGER), 100), [])
  )
}

import { type FieldProblem, invalidField, invalidFields, Refusal } from '#kit/refusal'
import { MAX_METAFIELD_BYTES } from '#platform'

export const unknownStorefrontSetting = (keys: string[]) => {
  const message = `must be one of ${keys.join(', ')}`
  return new Refusal('not_found', `key ${message}`, [{ field: 'key', code: 'not_found', message }])
}

/** With all of its problems, each named by its path in the value. */
export const storefrontSettingRefused = (problems: FieldProblem[]) =>
  invalidFields(
    problems.map(({ field, ...rest }) => ({ field: field === 'value' ? field : `value.${field}`, ...rest }))
  )

export const settingTooLong = (key: string) =>
  invalidField(
    'value',
    `must be at most ${MAX_METAFIELD_BYTES} bytes as the metafield ${key}, which is what the platform takes`
  )

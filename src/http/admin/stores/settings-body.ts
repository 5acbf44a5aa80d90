import { type TObject, type TProperties, type TSchema, Type } from 'typebox'
import {
  type Accepted,
  acceptedWords,
  isSetting,
  type SettingsSection,
  type SettingsShape,
  snakeCase
} from '#kit/define-settings'
import type { Ctx } from '#kit/postgres'
import { settingsOf, updateSettings } from '#stores'
import { MainPlansInEffect, presentMainPlans } from './main-plans-in-effect.ts'

type Sections = readonly SettingsSection[]
type ObjectOf = (properties: TProperties) => TObject

/** What the settings of a store are, in a response. Fields are those of the sections that the modules declare. */
export const settingsBody = (sections: Sections): TSchema => ({
  ...bodyOf(
    sections,
    (properties) => Type.Object(properties),
    ({ help }) => ({ description: help }),
    { main_plan_in_effect: MainPlansInEffect }
  ),
  title: 'Settings',
  description: 'The settings of a store.'
})

/** What a request may set: any of them. */
export const settingsPatch = (sections: Sections): TSchema =>
  bodyOf(
    sections,
    (properties) => Type.Partial(Type.Object(properties)) as unknown as TObject,
    ({ accepts, help }) => ({ description: acceptedWords(accepts), meaning: help.replace(/\.$/, '') })
  )

type WordsOf = (setting: { accepts: Accepted; help: string }) => { description: string; meaning?: string }

const bodyOf = (sections: Sections, object: ObjectOf, wordsOf: WordsOf, more: TProperties = {}): TObject =>
  object({
    ...Object.fromEntries(sections.map(({ name, shape }) => [snakeCase(name), schemaOf(shape, object, wordsOf)])),
    ...more
  })

function schemaOf(shape: SettingsShape, object: ObjectOf, wordsOf: WordsOf): TSchema {
  if (isSetting(shape)) {
    return schemaOfValue(shape.accepts, { ...wordsOf(shape), default: shape.default, examples: [shape.default] })
  }
  const fields = Object.entries(shape).map(
    ([name, inner]) => [snakeCase(name), schemaOf(inner, object, wordsOf)] as const
  )
  return object(Object.fromEntries(fields))
}

function schemaOfValue(accepts: Accepted, words: Record<string, unknown>): TSchema {
  if (accepts.kind === 'choice') {
    return Type.Union(
      accepts.options.map((option) => Type.Literal(option)),
      words
    )
  }
  if (accepts.kind === 'id') {
    return Type.Union([Type.String({ pattern: `^${accepts.prefix}_[1-9][0-9]{0,15}$` }), Type.Null()], words)
  }
  const { from: minimum, to: maximum } = accepts
  if (accepts.kind === 'text') return Type.String({ minLength: minimum, maxLength: maximum, ...words })
  if (accepts.kind === 'numbers') {
    return Type.Array(Type.Integer({ minimum, maximum }), { maxItems: accepts.atMost, ...words })
  }
  if (!accepts.isNullable) return Type.Integer({ minimum, maximum, ...words })
  return Type.Union([Type.Integer({ minimum, maximum }), Type.Null()], words)
}

/** The settings as they are now, with the defaults of those that were never set. */
export async function presentSettings(ctx: Ctx, sections: Sections): Promise<Record<string, unknown>> {
  const body: Record<string, unknown> = {}
  for (const section of sections) {
    body[snakeCase(section.name)] = present(section.shape, await settingsOf(ctx, section))
  }
  return { ...body, main_plan_in_effect: await presentMainPlans(ctx) }
}

function present(shape: SettingsShape, value: unknown): unknown {
  if (isSetting(shape)) return value
  const values = value as Record<string, unknown>
  return Object.fromEntries(
    Object.entries(shape).map(([name, inner]) => [snakeCase(name), present(inner, values[name])])
  )
}

/** Changes the sections that a body names. */
export async function changeSettings(ctx: Ctx, sections: Sections, body: Record<string, unknown>): Promise<void> {
  for (const section of sections) {
    const change = body[snakeCase(section.name)]
    if (change !== undefined) await updateSettings(ctx, section, changeOf(section.shape, change))
  }
}

/** A change of a body by the names of the section. */
function changeOf(shape: SettingsShape, given: unknown): unknown {
  if (isSetting(shape) || given === undefined) return given
  const fields = given as Record<string, unknown>
  return Object.fromEntries(
    Object.entries(shape).map(([name, inner]) => [name, changeOf(inner, fields[snakeCase(name)])])
  )
}

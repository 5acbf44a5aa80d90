import { type TProperties, type TSchema, Type } from 'typebox'
import type { Ctx } from '#kit/postgres'
import {
  type Accepted,
  acceptedWords,
  isSetting,
  type SettingsSection,
  type SettingsShape,
  snakeCase
} from '#kit/settings'
import { requireStore, settingsOf, updateSettings } from '#stores'
import type { HttpDeps } from '../shared/deps.ts'
import type { Surface } from '../shared/surface.ts'
import { StoreParams } from './fields.ts'

/** What a store may set. Fields and schemas are those of the sections that the modules declare. */
export function registerSettings(admin: Surface, { db, settings }: Pick<HttpDeps, 'db' | 'settings'>): void {
  const SettingsBody = bodyOf(settings, Type.Object)
  const SettingsPatch = bodyOf(settings, (properties) => Type.Partial(Type.Object(properties)))

  admin.get(
    '/stores/:store/settings',
    { schema: { params: StoreParams, response: { 200: SettingsBody } } },
    async ({ params }) => {
      const { storeId } = await requireStore(db, params.store)
      return db.inStore(storeId, (ctx) => presentSettings(ctx, settings))
    }
  )

  admin.patch(
    '/stores/:store/settings',
    { schema: { params: StoreParams, body: SettingsPatch, response: { 200: SettingsBody } } },
    async ({ params, body }) => {
      const { storeId } = await requireStore(db, params.store)
      const given = body as Record<string, unknown>
      return db.inStore(storeId, async (ctx) => {
        for (const section of settings) {
          const change = given[snakeCase(section.name)]
          if (change !== undefined) await updateSettings(ctx, section, changeOf(section.shape, change))
        }
        return presentSettings(ctx, settings)
      })
    }
  )
}

type ObjectOf = (properties: TProperties) => TSchema

const bodyOf = (sections: readonly SettingsSection[], object: ObjectOf): TSchema =>
  object(Object.fromEntries(sections.map(({ name, shape }) => [snakeCase(name), schemaOf(shape, object)])))

function schemaOf(shape: SettingsShape, object: ObjectOf): TSchema {
  if (isSetting(shape)) {
    const { accepts, help, default: usual } = shape
    return schemaOfValue(accepts, { description: acceptedWords(accepts), meaning: help, default: usual })
  }
  const fields = Object.entries(shape).map(([name, inner]) => [snakeCase(name), schemaOf(inner, object)] as const)
  return object(Object.fromEntries(fields))
}

function schemaOfValue(accepts: Accepted, words: Record<string, unknown>): TSchema {
  if (accepts.kind === 'choice') {
    return Type.Union(
      accepts.options.map((option) => Type.Literal(option)),
      words
    )
  }
  const { from: minimum, to: maximum } = accepts
  if (accepts.kind === 'numbers') {
    return Type.Array(Type.Integer({ minimum, maximum }), { maxItems: accepts.atMost, ...words })
  }
  if (!accepts.isNullable) return Type.Integer({ minimum, maximum, ...words })
  return Type.Union([Type.Integer({ minimum, maximum }), Type.Null()], words)
}

async function presentSettings(ctx: Ctx, sections: readonly SettingsSection[]): Promise<Record<string, unknown>> {
  const body: Record<string, unknown> = {}
  for (const section of sections) {
    body[snakeCase(section.name)] = present(section.shape, await settingsOf(ctx, section))
  }
  return body
}

function present(shape: SettingsShape, value: unknown): unknown {
  if (isSetting(shape)) return value
  const values = value as Record<string, unknown>
  return Object.fromEntries(
    Object.entries(shape).map(([name, inner]) => [snakeCase(name), present(inner, values[name])])
  )
}

/** A change as the body has it, by our names. */
function changeOf(shape: SettingsShape, given: unknown): unknown {
  if (isSetting(shape) || given === undefined) return given
  const fields = given as Record<string, unknown>
  return Object.fromEntries(
    Object.entries(shape).map(([name, inner]) => [name, changeOf(inner, fields[snakeCase(name)])])
  )
}

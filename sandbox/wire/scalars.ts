import { type GraphQLScalarType, type GraphQLSchema, isScalarType, Kind, valueFromASTUntyped } from 'graphql'
import { wireInstant } from './time.ts'

type Scalar = { serialize?: (value: unknown) => unknown; parse: (value: unknown) => unknown }

function fail(what: string, value: unknown): never {
  throw new TypeError(`Invalid ${what}: ${JSON.stringify(value)}`)
}

function text(what: string, pattern: RegExp): Scalar['parse'] {
  return (value) => {
    const given = typeof value === 'number' || typeof value === 'string' ? String(value) : fail(what, value)
    return pattern.test(given) ? given : fail(what, value)
  }
}

function parseInstant(value: unknown): Temporal.Instant {
  try {
    if (typeof value !== 'string') return fail('DateTime', value)
    // A date without a time means midnight UTC; this API ignores the shop's time zone.
    return Temporal.Instant.from(/^\d{4}-\d{2}-\d{2}$/.test(value) ? `${value}T00:00:00Z` : value)
  } catch {
    return fail('DateTime', value)
  }
}

const decimal = /^-?\d+(\.\d+)?$/

const scalars: Record<string, Scalar> = {
  DateTime: { parse: parseInstant, serialize: (v) => (v instanceof Temporal.Instant ? wireInstant(v) : v) },
  Decimal: { parse: text('Decimal', decimal) },
  Money: { parse: text('Money', decimal) },
  UnsignedInt64: { parse: text('UnsignedInt64', /^\d+$/), serialize: String },
  URL: { parse: text('URL', /^[a-z][a-z0-9+.-]*:\S+$/i) },
  JSON: { parse: (value) => value }
}

/** Sets the parsers and serializers of the schema's scalars; others are passed through. */
export function installScalars(schema: GraphQLSchema) {
  for (const type of Object.values(schema.getTypeMap())) {
    const scalar = scalars[type.name]
    if (!isScalarType(type) || !scalar) continue
    const target: GraphQLScalarType = type
    target.parseValue = scalar.parse
    target.parseLiteral = (node, variables) =>
      scalar.parse(
        node.kind === Kind.INT || node.kind === Kind.FLOAT ? node.value : valueFromASTUntyped(node, variables)
      )
    if (scalar.serialize) target.serialize = scalar.serialize
  }
}

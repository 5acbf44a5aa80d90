// How one operation of the connector is examined.
import type { Connector } from '#platform'

type Json = any

/** A recorded answer, mapped onto what the operation asks for. */
export type Recorded = { value: Json; variables: Json; currency: string }

export type Operation = {
  /** The name of the connector's document that is answered. */
  name: string
  /** Where the recorded value goes in our answer, where that is not the field of the same name. */
  field?: string
  isInNodes?: true
  /** Recorded fields without one of which an answer says nothing of what we ask for. A refusal and null always say enough. */
  needs?: string[]
  /** The connector's own function. */
  call(connector: Connector, recorded: Recorded): Promise<Json>
  /** What it returns for a good answer, by the recorded value alone. */
  expected(recorded: Recorded): Json
  /** The function returns more than `expected` says. */
  isPart?: true
  /** What it returns for a userError, where that is no refusal of the whole. */
  expectedForError?(error: { message: string; code?: string | null }): Json
  /** What it returns where access was denied, where that is no refusal of the whole. */
  expectedForDenied?(message: string): Json
  /** What it says where the recorded value is null; a string is part of the message of a refusal. Left out: as for any other value. */
  ofNull?: string
  /** The recorded value may be of something else there, which has the same field: its ids count as those of a customer. */
  isOfProduct?: true
  /** The answers to what the function asks besides. */
  others?: Record<string, Json>
}

export const digits = (gid: string) => /\/(\d+)(?:\?.*)?$/.exec(gid)![1]!
export const nodesOf = (connection: Json) => connection?.nodes ?? []
export const idOf = ({ value }: Recorded) => (value?.id ? digits(value.id) : '1')
export const nothing = () => null

/** What a function returns that reads one object by its id: a map by that id, empty for null. */
export const byId =
  (read: (value: Json) => Json) =>
  ({ value }: Recorded) =>
    value ? { [digits(value.id)]: read(value) } : {}

import { useKnownStore } from '../api/stores.ts'
import { useChargeTexts } from '../charges/texts.ts'
import { useFormats } from '../format/formats.ts'
import { useCancelReason } from './cancel-reasons.ts'
import { type Entry, sentenceOf } from './sentences.ts'
import { useHistoryTexts } from './texts.ts'

/** Who did something, as the API gives it. */
export type Acted = { actor: string | null; actor_id: string | null; actor_name: string | null }

/** Says what happened to a subscription, and who did it. */
export function useHistory() {
  const { timezone: zone } = useKnownStore()
  const formats = useFormats()
  const { sentences: texts, actors, ...named } = useHistoryTexts()
  const cancelReason = useCancelReason()
  const { errors, bankCodes } = useChargeTexts()
  const words = {
    ...{ texts, formats, zone, cancelReason },
    chargeError: (code: string | null, declineCode: string | null) =>
      bankCodes[declineCode ?? ''] ?? errors[code ?? ''] ?? declineCode ?? code ?? texts.unknownError
  }
  return {
    sentence: (entry: Entry) => sentenceOf(entry, words),
    doer: ({ actor, actor_id, actor_name }: Acted) => {
      if (actor === 'operator') return actor_name ?? (actor_id === null ? named.token : named.formerPerson)
      if (actor === 'api' && actor_name !== null) return named.key(actor_name)
      return actors[actor ?? ''] ?? actor ?? ''
    }
  }
}

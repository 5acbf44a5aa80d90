import { type Static, Type } from 'typebox'
import type { Reason } from '#churn'
import { OrNull } from '#resources'

export const ReasonBody = Type.Object(
  {
    id: Type.Integer({ description: 'Its number, the same in every store' }),
    alias: Type.String({ description: 'Its name for programs, which never changes' }),
    title: Type.String({ description: 'What customers choose' }),
    description: OrNull(Type.String({ description: 'What customers read below it' })),
    position: Type.Integer({ description: 'Those with a lower one come first; equal ones in order of `id`' }),
    enabled: Type.Boolean({ description: 'Whether customers can choose it' })
  },
  {
    title: 'CancellationReason',
    description: 'Why somebody may cancel.',
    examples: [
      {
        id: 1,
        alias: 'too_expensive',
        title: 'It is too expensive',
        description: null,
        position: 10,
        enabled: true
      }
    ]
  }
)

export const presentReason = ({
  id,
  alias,
  title,
  description,
  position,
  isOn
}: Reason): Static<typeof ReasonBody> => ({ id, alias, title, description, position, enabled: isOn })

import { Anchor, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { useKnownStore } from '../../../shared/api/stores.ts'
import { CopyId } from '../../../shared/ui/copy-id.tsx'
import { useSandboxTexts } from '../texts.ts'

/** Says what was done, and leads to whom it was done. */
export function Done({ customer, children }: { customer: string; children: ReactNode }) {
  const { id } = useKnownStore()
  const { toMember } = useSandboxTexts()
  return (
    <Text size="sm" component="div">
      {children} <CopyId value={customer} />{' '}
      <Anchor component={Link} to={`/stores/${id}/members/${customer}`} size="sm" underline="always">
        {toMember}
      </Anchor>
    </Text>
  )
}

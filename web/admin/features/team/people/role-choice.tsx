import { Radio, Stack } from '@mantine/core'
import type { ReactNode } from 'react'
import type { TeamRole } from '../../../shared/session/auth.ts'
import { useTexts } from '../../../shared/texts/language.tsx'
import { useTeamTexts } from '../texts.ts'

const ROLES: readonly TeamRole[] = ['owner', 'developer', 'support', 'read_only']

type Props = { value?: string; onChange: (role: string) => void; error?: ReactNode }

/** The roles, each with what it may do. */
export function RoleChoice({ value, onChange, error }: Props) {
  const { roles } = useTexts()
  const texts = useTeamTexts()
  return (
    <Radio.Group label={texts.role} value={value ?? null} onChange={onChange} error={error}>
      <Stack gap="xs" mt="xs">
        {ROLES.map((role) => (
          <Radio key={role} value={role} label={roles[role]} description={texts.mayDo[role]} />
        ))}
      </Stack>
    </Radio.Group>
  )
}

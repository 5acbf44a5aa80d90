import { Button, Group, Stack } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useQueryClient } from '@tanstack/react-query'
import { FormAlert } from '../../../shared/forms/form-alert.tsx'
import { useSubmit } from '../../../shared/forms/use-submit.ts'
import type { TeamRole } from '../../../shared/session/auth.ts'
import { useTexts } from '../../../shared/texts/language.tsx'
import { Section } from '../../../shared/ui/section.tsx'
import { RoleChoice } from '../people/role-choice.tsx'
import { actionsFor, type Person, peopleQuery } from '../queries.ts'
import { useTeamTexts } from '../texts.ts'

/** The role of somebody; what another owner has chosen meanwhile is said first. */
export function RoleForm({ person }: { person: Person }) {
  const texts = useTeamTexts()
  const { common } = useTexts()
  const queries = useQueryClient()
  const form = useForm({ initialValues: { role: person.role as string } })
  const submit = useSubmit(form, {
    send: ({ role }) => actionsFor(person.id).changeRole(role as TeamRole),
    done: common.saved,
    unlessChanged: {
      opened: person.role,
      read: async () => {
        const people = await queries.fetchQuery({ ...peopleQuery, staleTime: 0 })
        return people.find(({ id }) => id === person.id)?.role
      }
    }
  })
  return (
    <Section title={texts.whatTheyMayDo}>
      <form onSubmit={submit.onSubmit}>
        <Stack>
          <RoleChoice {...form.getInputProps('role')} />
          <FormAlert message={submit.general} />
          <Group>
            <Button type="submit" loading={submit.isPending} disabled={!form.isDirty()}>
              {common.save}
            </Button>
          </Group>
        </Stack>
      </form>
    </Section>
  )
}

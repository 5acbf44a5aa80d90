import { Button, Checkbox, Fieldset, Group, SimpleGrid, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useKnownStore } from '../../../shared/api/stores.ts'
import { FormDialog } from '../../../shared/forms/form-dialog.tsx'
import { useSubmit } from '../../../shared/forms/use-submit.ts'
import { createKey } from './queries.ts'
import { READING, SCOPE_GROUPS, SCOPES } from './scopes.ts'
import { useKeysTexts } from './texts.ts'

type Props = { onClose: () => void; onMade: (made: { name: string; key: string }) => void }

/** A key with a name and what it may do. Nothing is chosen at first: what it need not do, it should not be able to. */
export function CreateKey({ onClose, onMade }: Props) {
  const { id } = useKnownStore()
  const texts = useKeysTexts()
  const form = useForm({
    initialValues: { name: '', scopes: [] as string[] },
    validate: { scopes: (chosen) => (chosen.length === 0 ? texts.needScope : null) }
  })
  const submit = useSubmit(form, { send: (values) => createKey(id, values), onDone: onMade })
  const choose = (scopes: string[]) => form.setFieldValue('scopes', scopes)
  return (
    <FormDialog title={texts.create} submitLabel={texts.create} submit={submit} size="xl" isOpen onClose={onClose}>
      <TextInput
        label={texts.name}
        description={texts.nameHelp}
        autoComplete="off"
        data-autofocus
        {...form.getInputProps('name')}
      />
      <Checkbox.Group label={texts.scopes} description={texts.scopesHelp} {...form.getInputProps('scopes')}>
        <Group gap="xs" my="xs">
          <Button variant="default" size="compact-sm" onClick={() => choose(SCOPES)}>
            {texts.chooseAll}
          </Button>
          <Button variant="default" size="compact-sm" onClick={() => choose(READING)}>
            {texts.chooseRead}
          </Button>
          <Button variant="default" size="compact-sm" onClick={() => choose([])}>
            {texts.chooseNone}
          </Button>
        </Group>
        <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
          {SCOPE_GROUPS.map(({ group, scopes }) => (
            <Fieldset key={group} legend={texts.groups[group]} p="sm">
              <Stack gap="xs">
                {scopes.map((scope) => (
                  <Checkbox
                    key={scope}
                    value={scope}
                    label={
                      <>
                        {scope.startsWith('read:') ? texts.read : texts.write}{' '}
                        <Text span size="xs" c="dimmed" ff="monospace">
                          {scope}
                        </Text>
                      </>
                    }
                    description={texts.scopeHelp[scope]}
                  />
                ))}
              </Stack>
            </Fieldset>
          ))}
        </SimpleGrid>
      </Checkbox.Group>
    </FormDialog>
  )
}

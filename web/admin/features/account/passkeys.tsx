import { Text, TextInput } from '@mantine/core'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { BrowserRefusal } from '../../shared/api/errors.ts'
import { useKnownStore } from '../../shared/api/stores.ts'
import { Instant } from '../../shared/format/instant.tsx'
import { ActionForm } from '../../shared/forms/action-form.tsx'
import { hasPasskeys } from '../../shared/session/auth.ts'
import { ConfirmButton } from '../../shared/ui/confirm-button.tsx'
import { PlainTable } from '../../shared/ui/plain-table.tsx'
import { QueryView } from '../../shared/ui/query-view.tsx'
import { Section } from '../../shared/ui/section.tsx'
import { addPasskey, listPasskeys, removePasskey } from './requests.ts'
import { useAccountTexts } from './texts.ts'

const passkeysQuery = queryOptions({ queryKey: ['passkeys'], queryFn: listPasskeys })

/** The devices that sign somebody in without a password. */
export function Passkeys() {
  const { timezone } = useKnownStore()
  const passkeys = useQuery(passkeysQuery)
  const texts = useAccountTexts()
  const add = async ({ name = '' }: { name?: string }) => {
    try {
      await addPasskey(name)
    } catch (err) {
      throw err instanceof DOMException ? new BrowserRefusal(texts.passkeyClosed) : err
    }
  }
  return (
    <Section title={texts.passkeys}>
      <Text size="sm">{texts.passkeysText}</Text>
      <QueryView query={passkeys}>
        {(known) => (
          <PlainTable
            label={texts.passkeys}
            rows={known}
            keyOf={({ id }) => id}
            empty={texts.noPasskeys}
            columns={[
              { title: texts.passkeyName, cell: ({ name, id }) => name || id },
              { title: texts.added, cell: ({ createdAt }) => <Instant at={createdAt} zone={timezone} /> },
              {
                title: texts.remove,
                cell: ({ id, name }) => (
                  <ConfirmButton
                    label={texts.remove}
                    title={name || texts.passkeys}
                    text={texts.removeText}
                    change={() => removePasskey(id)}
                    done={texts.removed}
                    isHarmful
                  />
                )
              }
            ]}
          />
        )}
      </QueryView>
      {hasPasskeys() ? (
        <div>
          <ActionForm
            texts={{ label: texts.addPasskey, title: texts.addPasskey, done: texts.passkeyAdded }}
            values={{ name: '' }}
            send={add}
          >
            {(field) => <TextInput label={texts.passkeyName} description={texts.passkeyNameHelp} {...field('name')} />}
          </ActionForm>
        </div>
      ) : (
        <Text size="sm" c="dimmed">
          {texts.passkeysMissing}
        </Text>
      )}
    </Section>
  )
}

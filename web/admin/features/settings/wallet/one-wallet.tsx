import { Group, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { useKnownStore } from '../../../shared/api/stores.ts'
import { May } from '../../../shared/session/may.tsx'
import { ConfirmButton } from '../../../shared/ui/confirm-button.tsx'
import { DialogButton } from '../../../shared/ui/dialog-button.tsx'
import { type Fact, FactList } from '../../../shared/ui/fact-list.tsx'
import { Section } from '../../../shared/ui/section.tsx'
import { removeWallet, type WalletKind } from './queries.ts'
import { useWalletTexts } from './texts.ts'

type Props = {
  kind: WalletKind
  /** What is set, without its secrets; null while nothing is. */
  facts: Fact[] | null
  /** What is to be known of it now. */
  note?: ReactNode
  form: (close: () => void) => ReactNode
}

/** What signs the passes of one wallet, and the ways to set and remove it. */
export function OneWallet({ kind, facts, note, form }: Props) {
  const { id } = useKnownStore()
  const texts = useWalletTexts()
  const { title, none, set, replace, setTitle, remove } = texts.wallets[kind]
  return (
    <Section title={title}>
      {facts === null ? <Text size="sm">{none}</Text> : <FactList facts={facts} />}
      {note}
      <May permission="manage">
        <Group gap="xs">
          <DialogButton label={facts === null ? set : replace} title={setTitle} size="lg">
            {form}
          </DialogButton>
          {facts !== null && (
            <ConfirmButton {...remove} isHarmful c="var(--mantine-color-error)" change={() => removeWallet(id, kind)} />
          )}
        </Group>
      </May>
    </Section>
  )
}

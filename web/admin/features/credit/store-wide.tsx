import { Group, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { useKnownStore } from '../../shared/api/stores.ts'
import { useFormats } from '../../shared/format/formats.ts'
import { May, useMay } from '../../shared/session/may.tsx'
import { ConfirmButton } from '../../shared/ui/confirm-button.tsx'
import { Section } from '../../shared/ui/section.tsx'
import { expireCredit, reconcileWithPlatform } from './queries.ts'
import { useCreditTexts } from './texts.ts'

/** What the service does by itself, done at once for all customers. */
export function StoreWide() {
  const { id: store, currency } = useKnownStore()
  const { all: texts } = useCreditTexts()
  const { money, count } = useFormats()
  const [result, setResult] = useState<string | null>(null)
  const [mayExpire, mayReconcile] = [useMay('support'), useMay('develop')]
  if (!mayExpire && !mayReconcile) return null

  const expire = async () => setResult(texts.expired(count((await expireCredit(store)).expired)))
  const reconcile = async () => {
    const { compared, accounts, waiting, drift_entries, drift_amount } = await reconcileWithPlatform(store)
    const found = texts.compared(count(compared ?? 0), count(accounts ?? 0))
    const drift = drift_entries ? texts.drift(count(drift_entries), money(drift_amount ?? 0, currency)) : texts.noDrift
    setResult(`${found} ${drift} ${waiting ? texts.waiting : ''}`.trim())
  }
  return (
    <Section title={texts.title}>
      <Text size="sm" c="dimmed" maw={720}>
        {texts.text}
      </Text>
      <Stack gap="sm">
        <Group gap="xs">
          <May permission="support">
            <ConfirmButton {...texts.expire} change={expire} />
          </May>
          <May permission="develop">
            <ConfirmButton {...texts.reconcile} change={reconcile} />
          </May>
        </Group>
        <Text size="sm" aria-live="polite">
          {result}
        </Text>
      </Stack>
    </Section>
  )
}

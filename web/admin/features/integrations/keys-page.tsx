import { Anchor, Button, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useKnownStore } from '../../shared/api/stores.ts'
import { May } from '../../shared/session/may.tsx'
import { useTexts } from '../../shared/texts/language.tsx'
import { EmptyState } from '../../shared/ui/empty-state.tsx'
import { Page } from '../../shared/ui/page.tsx'
import { QueryView } from '../../shared/ui/query-view.tsx'
import { Section } from '../../shared/ui/section.tsx'
import { CreateKey } from './keys/create-key.tsx'
import { KeysTable } from './keys/keys-table.tsx'
import { NewKey } from './keys/new-key.tsx'
import type { ApiKey } from './keys/queries.ts'
import { keysQuery, stateOf } from './keys/queries.ts'
import { RollKey } from './keys/roll-key.tsx'
import { useKeysTexts } from './keys/texts.ts'
import { Tabs } from './tabs.tsx'

/** The keys of the REST API. */
export function KeysPage() {
  const { id } = useKnownStore()
  const keys = useQuery(keysQuery(id))
  const texts = useKeysTexts()
  const { pages } = useTexts()
  const [isCreating, setCreating] = useState(false)
  const [rolled, setRolled] = useState<ApiKey | null>(null)
  const [made, setMade] = useState<{ name: string; key: string } | null>(null)
  const show = (one: { name: string; key: string }) => {
    setCreating(false)
    setRolled(null)
    setMade(one)
  }
  return (
    <Page
      title={pages.integrations}
      aside={
        <May permission="develop">
          <Button onClick={() => setCreating(true)}>{texts.create}</Button>
        </May>
      }
    >
      <Tabs />
      <Text>
        {texts.lead}{' '}
        <Anchor href="/docs" target="_blank" rel="noreferrer" underline="always">
          {texts.reference}
        </Anchor>
      </Text>
      <QueryView query={keys} height={240}>
        {(all) => {
          const live = all.filter((key) => ['active', 'ending'].includes(stateOf(key)))
          const ended = all.filter((key) => !live.includes(key))
          return (
            <>
              <Section title={texts.live}>
                {live.length === 0 ? (
                  <EmptyState title={texts.none} text={texts.noneText} />
                ) : (
                  <KeysTable label={texts.live} keys={live} onRoll={setRolled} />
                )}
              </Section>
              {ended.length > 0 && (
                <Section title={texts.ended}>
                  <KeysTable label={texts.ended} keys={ended} />
                </Section>
              )}
            </>
          )
        }}
      </QueryView>
      {isCreating && <CreateKey onClose={() => setCreating(false)} onMade={show} />}
      {rolled && <RollKey apiKey={rolled} onClose={() => setRolled(null)} onMade={show} />}
      <NewKey made={made} onClose={() => setMade(null)} />
    </Page>
  )
}

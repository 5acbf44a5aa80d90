import { Button, Group, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, bodyOf } from '../../../shared/api/client.ts'
import { useKnownStore } from '../../../shared/api/stores.ts'
import { useChange } from '../../../shared/api/use-change.ts'
import { May } from '../../../shared/session/may.tsx'
import { PlainTable } from '../../../shared/ui/plain-table.tsx'
import { QueryView } from '../../../shared/ui/query-view.tsx'
import { Section } from '../../../shared/ui/section.tsx'
import { onPlatformQuery } from '../queries.ts'
import { useMemberTexts } from './texts.ts'

/** Tags and metafields as the platform has them, beside what they are to be. The platform is asked when somebody wants to know. */
export function OnPlatform({ customer }: { customer: string }) {
  const { id: store } = useKnownStore()
  const texts = useMemberTexts()
  const [isAsked, setAsked] = useState(false)
  const found = useQuery({ ...onPlatformQuery(store, customer), enabled: isAsked })
  const { start, isPending } = useChange({
    done: texts.syncDone,
    change: async () => {
      await bodyOf(api.POST('/stores/{store}/tags/sync', { params: { path: { store } }, body: { customer } }))
      await bodyOf(api.POST('/stores/{store}/metafields/sync', { params: { path: { store } }, body: { customer } }))
    }
  })
  return (
    <Section title={texts.onPlatform}>
      <Text size="sm" c="dimmed">
        {texts.onPlatformText}
      </Text>
      <Group gap="xs">
        <Button variant="default" size="xs" onClick={() => (isAsked ? found.refetch() : setAsked(true))}>
          {texts.compare}
        </Button>
        <May permission="develop">
          <Button variant="default" size="xs" loading={isPending} onClick={() => start()}>
            {texts.sync}
          </Button>
        </May>
      </Group>
      {isAsked && (
        <QueryView query={found}>
          {({ tags, metafields }) => (
            <>
              <PlainTable
                label={texts.tags}
                rows={tags}
                keyOf={({ name }) => name}
                empty={texts.noTags}
                columns={[
                  { title: texts.tags, cell: ({ name }) => name },
                  { title: texts.state, cell: ({ state }) => texts.tagStates[state] }
                ]}
              />
              <PlainTable
                label={texts.metafields}
                rows={metafields}
                keyOf={({ key }) => key}
                empty={texts.noMetafields}
                columns={[
                  { title: texts.metafields, cell: ({ key }) => key },
                  { title: texts.wanted, cell: ({ wanted }) => <code className="wrap-anywhere">{wanted ?? '–'}</code> },
                  { title: texts.found, cell: ({ found }) => <code className="wrap-anywhere">{found ?? '–'}</code> }
                ]}
              />
            </>
          )}
        </QueryView>
      )}
    </Section>
  )
}

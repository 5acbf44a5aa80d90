import { Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useKnownStore } from '../../shared/api/stores.ts'
import { May } from '../../shared/session/may.tsx'
import { useTexts } from '../../shared/texts/language.tsx'
import { EmptyState } from '../../shared/ui/empty-state.tsx'
import { OlderLink, useBefore } from '../../shared/ui/lists/older-link.tsx'
import { Page } from '../../shared/ui/page.tsx'
import { QueryView } from '../../shared/ui/query-view.tsx'
import { NewRequestButton } from './new-request-button.tsx'
import { requestsQuery } from './queries.ts'
import { Requests } from './requests.tsx'
import { usePrivacyTexts } from './texts.ts'

/** What the platform and operators asked to be done with personal data. */
export function PrivacyPage() {
  const { id: store } = useKnownStore()
  const requests = useQuery(requestsQuery(store, useBefore()))
  const texts = usePrivacyTexts()
  const { pages } = useTexts()
  return (
    <Page
      title={pages.privacy}
      aside={
        <May permission="manage">
          <NewRequestButton />
        </May>
      }
    >
      <QueryView query={requests} height={300}>
        {({ data, next }) =>
          data.length === 0 ? (
            <EmptyState title={texts.none} text={texts.noneText} />
          ) : (
            <Stack gap="sm">
              <Text size="sm" c="dimmed" maw={720}>
                {texts.text}
              </Text>
              <Requests requests={data} />
              <OlderLink next={next} />
            </Stack>
          )
        }
      </QueryView>
    </Page>
  )
}

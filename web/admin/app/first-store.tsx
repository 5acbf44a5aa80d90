import { Code, Container, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Navigate } from 'react-router'
import { storesQuery } from '../shared/api/stores.ts'
import { useTexts } from '../shared/texts/language.tsx'
import { Page } from '../shared/ui/page.tsx'
import { QueryView } from '../shared/ui/query-view.tsx'
import { lastStore } from './last-store.ts'

/** Leads to the store that was shown last, else to the first one. */
export function FirstStore() {
  const stores = useQuery(storesQuery)
  const { noStores } = useTexts()
  return (
    <Container size="sm" py="xl" component="main">
      <QueryView query={stores}>
        {(known) => {
          const store = known.find(({ id }) => id === lastStore.get()) ?? known[0]
          if (store) return <Navigate to={`/stores/${store.id}`} replace />
          return (
            <Page title={noStores.title}>
              <Text>{noStores.text}</Text>
              <Code block>npx perennial store create --help</Code>
            </Page>
          )
        }}
      </QueryView>
    </Container>
  )
}

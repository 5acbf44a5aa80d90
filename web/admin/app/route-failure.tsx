import { Anchor, Button, Container, Text } from '@mantine/core'
import { Link, useRouteError } from 'react-router'
import { reloadPage } from '../shared/api/embedding.ts'
import { useTexts } from '../shared/texts/language.tsx'
import { EmptyState } from '../shared/ui/empty-state.tsx'
import { Failure } from '../shared/ui/failure.tsx'
import { Page } from '../shared/ui/page.tsx'

/** What browsers say when a chunk is gone, which happens when the service was updated while the page was open. */
const CHUNK_IS_GONE = /dynamically imported module|Importing a module script failed|preload CSS/i

/** Instead of a page that has thrown. */
export function RouteFailure() {
  const error = useRouteError()
  const { errors, common } = useTexts()
  const isOutdated = error instanceof Error && CHUNK_IS_GONE.test(error.message)
  return (
    <Container size="sm" py="xl">
      {isOutdated ? (
        <EmptyState title={errors.title} text={errors.newVersion}>
          <Button onClick={reloadPage}>{common.reload}</Button>
        </EmptyState>
      ) : (
        <Failure error={error} retry={reloadPage} />
      )}
    </Container>
  )
}

export function NotFoundPage() {
  const { errors } = useTexts()
  return (
    <Page title={errors.notFoundTitle}>
      <Text>{errors.notFoundText}</Text>
      <Anchor component={Link} to="/">
        {errors.toStart}
      </Anchor>
    </Page>
  )
}

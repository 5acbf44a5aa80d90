import { Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { ApiError } from '../../shared/api/errors.ts'
import { useSearchFilters } from '../../shared/api/search-filters.ts'
import { useKnownStore } from '../../shared/api/stores.ts'
import { useTexts } from '../../shared/texts/language.tsx'
import { EmptyState } from '../../shared/ui/empty-state.tsx'
import { FilterBar } from '../../shared/ui/lists/filter-bar.tsx'
import { FindField } from '../../shared/ui/lists/find-field.tsx'
import { Page } from '../../shared/ui/page.tsx'
import { QueryView } from '../../shared/ui/query-view.tsx'
import { AccountView } from './account.tsx'
import { accountQuery } from './queries.ts'
import { StoreWide } from './store-wide.tsx'
import { useCreditTexts } from './texts.ts'

/** Store credit: the account of one customer, and what is done for all. */
export function CreditPage() {
  const [{ customer }, change] = useSearchFilters(['customer'])
  const texts = useCreditTexts()
  const { pages } = useTexts()
  return (
    <Page title={pages.credit}>
      <Text size="sm" c="dimmed" maw={720}>
        {texts.text}
      </Text>
      <FilterBar
        label={texts.find}
        clearLabel={texts.clear}
        isFiltered={customer !== ''}
        onClear={() => change({ customer: '' })}
      >
        <FindField
          label={texts.customer}
          description={texts.customerHelp}
          findLabel={texts.find}
          maxLength={330}
          value={customer}
          onFind={(found) => change({ customer: found })}
        />
      </FilterBar>
      {customer === '' ? <EmptyState title={texts.none} text={texts.noneText} /> : <Found customer={customer} />}
      <StoreWide />
    </Page>
  )
}

function Found({ customer: named }: { customer: string }) {
  const { id: store } = useKnownStore()
  const found = useQuery(accountQuery(store, named))
  const texts = useCreditTexts()
  // Nobody has that address: it is no failure of the page.
  if (found.error instanceof ApiError && found.error.status < 500) {
    return <EmptyState title={texts.nobody} text={found.error.message} />
  }
  return (
    <QueryView query={found} height={300}>
      {({ customer, account }) => (
        <Stack gap="lg">
          <AccountView key={customer.id} customer={customer} account={account} />
        </Stack>
      )}
    </QueryView>
  )
}

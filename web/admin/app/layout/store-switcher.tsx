import { Select, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from 'react-router'
import { storesQuery } from '../../shared/api/stores.ts'
import { useTexts } from '../../shared/texts/language.tsx'

/** Shows the overview of another store. */
export function StoreSwitcher() {
  const { store } = useParams()
  const { data = [] } = useQuery(storesQuery)
  const navigate = useNavigate()
  const { app } = useTexts()
  return (
    <Select
      label={app.store}
      value={data.some(({ id }) => id === store) ? store : null}
      onChange={(id) => id && navigate(`/stores/${id}`)}
      data={data.map(({ id, name }) => ({ value: id, label: name }))}
      // Several stores may have one name.
      renderOption={({ option }) => (
        <Text size="sm" className="wrap-anywhere">
          {option.label}
          <Text span size="xs" display="block" c="dimmed">
            {data.find(({ id }) => id === option.value)?.domain}
          </Text>
        </Text>
      )}
      searchable={data.length > 8}
      nothingFoundMessage={app.noStoreFound}
      allowDeselect={false}
      comboboxProps={{ withinPortal: true }}
    />
  )
}

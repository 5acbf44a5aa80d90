import { Select } from '@mantine/core'
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
      data={data.map(({ id, name, domain }) => ({ value: id, label: name === domain ? name : `${name} (${domain})` }))}
      searchable={data.length > 8}
      nothingFoundMessage={app.noStoreFound}
      allowDeselect={false}
      comboboxProps={{ withinPortal: true }}
    />
  )
}

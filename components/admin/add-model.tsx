import { useId, useState } from 'react'
import { TYPE_NAMES } from '@/components/admin/price-form'
import { Button } from '@/components/ui/button'
import { SelectField, TextField } from '@/components/ui/form-fields'
import { MAX_UPSTREAM_MODEL_CHARS, PROVIDER_MODEL_TYPES, type ProviderModelType } from '@/lib/contract/providers'
import { t } from '@/lib/i18n/t'

type AddModelProps = { onAdd: (name: string, type: ProviderModelType) => void }

/** Adds a model that the server does not list, by the name that the server knows it by. */
export function AddModel({ onAdd }: AddModelProps) {
  const id = useId()
  const [name, setName] = useState('')
  const [type, setType] = useState<ProviderModelType>('text')
  const plain = name.trim()
  const add = () => {
    if (plain === '') return
    onAdd(plain, type)
    setName('')
  }
  return (
    <fieldset
      aria-labelledby={id}
      className="min-w-0 rounded-card border border-line p-3"
      // The form around it would be sent.
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || !(event.target instanceof HTMLInputElement)) return
        event.preventDefault()
        add()
      }}
    >
      <p id={id} className="mb-2 text-13 text-ink-2">
        {t('Add a model that is not listed')}
      </p>
      <div className="flex flex-wrap items-end gap-3">
        <div className="min-w-0 flex-[2] basis-56">
          <TextField
            label={t('Model name')}
            isCode
            value={name}
            maxLength={MAX_UPSTREAM_MODEL_CHARS}
            onChange={setName}
          />
        </div>
        <SelectField
          label={t('Type')}
          value={type}
          options={PROVIDER_MODEL_TYPES.map((value) => ({ value, label: t(TYPE_NAMES[value]) }))}
          onChange={(value) => setType(value as ProviderModelType)}
        />
        <Button className="min-h-10" disabled={plain === ''} onClick={add}>
          {t('Add model')}
        </Button>
      </div>
    </fieldset>
  )
}

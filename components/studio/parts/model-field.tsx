'use client'

import type { NamedModel } from '@/components/studio/audio/models'
import { SelectField } from '@/components/ui/form-fields'
import { formatDate, t } from '@/lib/i18n/t'

type ModelFieldProps = { models: readonly NamedModel[]; value: string; onChange: (id: string) => void }

/** Which model makes it, and what is said of that one. */
export function ModelField({ models, value, onChange }: ModelFieldProps) {
  const chosen = models.find(({ id }) => id === value)
  const options = models.map(({ id, name, isOffline }) => ({
    value: id,
    label: isOffline ? t('{model} (currently unavailable)', { model: name }) : name,
  }))
  return (
    <SelectField
      label={t('Model')}
      value={value}
      options={options}
      onChange={onChange}
      note={chosen && <About model={chosen} />}
    />
  )
}

function About({ model }: { model: NamedModel }) {
  return (
    <div className="mt-1 space-y-0.5 text-12 text-ink-3">
      {model.description && <p className="wrap-anywhere">{model.description}</p>}
      <p>
        {model.privacy === 'private'
          ? t('Does not store what you send')
          : t('Runs on an external service; your identity is not shared')}
        {model.isBeta && ` · ${t('Beta')}`}
      </p>
      {model.retiresAt && <p className="text-danger">{retires(model.retiresAt)}</p>}
    </div>
  )
}

function retires(at: string): string {
  const day = new Date(at)
  const words = Number.isNaN(day.getTime()) ? at : formatDate(day, { dateStyle: 'long', timeZone: 'UTC' })
  return t('Retires on {day}.', { day: words })
}

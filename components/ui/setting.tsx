'use client'

import type { ReactNode } from 'react'
import { Choice } from '@/components/ui/form-fields'
import { type Preferences, usePreference } from '@/lib/browser/preferences'
import { SETTINGS, type SettingId } from '@/lib/browser/settings-entries'
import { t } from '@/lib/i18n/t'

type SettingProps = { id: SettingId; isWide?: boolean; children: ReactNode }

export function Setting({ id, isWide = false, children }: SettingProps) {
  const { name, about } = entryOf(id)
  return (
    <section
      id={id}
      tabIndex={-1}
      aria-labelledby={`${id}-name`}
      className={`setting scroll-mt-4 border-b border-line py-5 outline-none last:border-0 ${isWide ? '' : 'sm:flex sm:items-start sm:justify-between sm:gap-8'}`}
    >
      <div className="min-w-0 max-w-120 sm:flex-1">
        <h3 id={`${id}-name`} className="text-14 font-medium">
          {t(name)}
        </h3>
        <p className="mt-0.5 text-13 text-ink-3">{t(about)}</p>
      </div>
      <div className={`mt-3 min-w-0 ${isWide ? '' : 'sm:mt-0 sm:max-w-72'}`}>{children}</div>
    </section>
  )
}

type PreferenceSettingProps<N extends keyof Preferences> = {
  id: SettingId
  preference: N
  /** The label of each value, in the order in which they are shown. */
  labels: Readonly<Record<Preferences[N], string>>
}

/** Shows a preference with a few values as a setting of its own. */
export function PreferenceSetting<N extends keyof Preferences>({ id, preference, labels }: PreferenceSettingProps<N>) {
  const [value, setValue] = usePreference(preference)
  const values = Object.keys(labels) as Preferences[N][]
  return (
    <Setting id={id}>
      <Choice
        label={t(entryOf(id).name)}
        value={value}
        onChange={setValue}
        options={values.map((one) => ({ value: one, label: labels[one] }))}
      />
    </Setting>
  )
}

const entryOf = (id: SettingId) => SETTINGS.find((entry) => entry.id === id)!

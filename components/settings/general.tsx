'use client'

import { type ComponentProps, useState, useSyncExternalStore } from 'react'
import { Choice, TextField } from '@/components/ui/form-fields'
import { PreferenceSetting, Setting } from '@/components/ui/setting'
import { PERSONA_LIMITS } from '@/lib/browser/characters'
import { type NotifyState, notifyState, turnNotifyOff, turnNotifyOn } from '@/lib/browser/notify'
import { usePreference } from '@/lib/browser/preferences'
import { chooseLanguage, chosenLanguage } from '@/lib/i18n/language-cookie'
import { isLanguageTag, LANGUAGES } from '@/lib/i18n/languages'
import { t } from '@/lib/i18n/t'

export function General() {
  const [name, setName] = usePreference('personaName')
  const [persona, setPersona] = usePreference('persona')
  return (
    <>
      <LanguageSetting />
      <PreferenceSetting id="enter" preference="enterSends" labels={{ on: t('Send'), off: t('New line') }} />
      <PreferenceSetting
        id="titles"
        preference="titles"
        labels={{ model: t('Written by the model'), words: t('First words') }}
      />
      <NotifySetting />
      <Setting id="persona" isWide>
        <div className="max-w-120 space-y-3">
          <DraftField label={t('Name')} value={name} onChange={setName} maxLength={PERSONA_LIMITS.name} />
          <DraftField
            label={t('About you')}
            value={persona}
            onChange={setPersona}
            maxLength={PERSONA_LIMITS.about}
            rows={3}
          />
        </div>
      </Setting>
    </>
  )
}

const NEVER = () => () => undefined

function LanguageSetting() {
  // The server does not say it, and what is picked before the page can hear it would change nothing.
  const known = useSyncExternalStore(NEVER, chosenLanguage, () => null)
  const [picked, setPicked] = useState<string>()
  const choose = async (value: string) => {
    setPicked(value)
    await chooseLanguage(isLanguageTag(value) ? value : undefined)
    const { untilIdle } = await import('@/lib/browser/running-answers')
    await untilIdle()
    window.location.reload()
  }
  return (
    <Setting id="language">
      <select
        aria-label={t('Language')}
        value={picked ?? known ?? ''}
        disabled={known === null}
        onChange={(event) => void choose(event.target.value)}
        className="min-h-11 w-full max-w-72 rounded-control border border-control bg-surface px-2 text-14 pointer-coarse:text-16"
      >
        <option value="">{t('Browser language')}</option>
        {LANGUAGES.map(({ tag, name, direction }) => (
          <option key={tag} value={tag} lang={tag} dir={direction}>
            {name}
          </option>
        ))}
      </select>
      <p role="status" className="mt-2 text-13 text-ink-2 empty:hidden">
        {picked !== undefined && t('The page reloads once the current answer is finished.')}
      </p>
    </Setting>
  )
}

function NotifySetting() {
  const first = useSyncExternalStore<NotifyState>(NEVER, notifyState, () => 'off')
  const [changed, setState] = useState<NotifyState>()
  const state = changed ?? first
  const change = async (wanted: 'on' | 'off') => {
    if (wanted === 'off') turnNotifyOff()
    setState(wanted === 'off' ? 'off' : await turnNotifyOn())
  }
  return (
    <Setting id="notify">
      {state === 'unsupported' ? (
        <p className="text-13 text-ink-2">{t('Not supported by this browser.')}</p>
      ) : (
        <Choice
          label={t('Notifications')}
          value={state === 'on' ? 'on' : 'off'}
          onChange={(wanted) => void change(wanted)}
          options={[
            { value: 'off', label: t('Off') },
            { value: 'on', label: t('On') },
          ]}
        />
      )}
      <p role="status" className="mt-2 text-13 text-ink-2 empty:hidden">
        {state === 'blocked' && t('Blocked by your browser. Allow notifications in site settings.')}
      </p>
    </Setting>
  )
}

/** Shows what was typed, also where a part of it is not stored. */
export function DraftField({ value, onChange, ...field }: ComponentProps<typeof TextField>) {
  const [draft, setDraft] = useState(value)
  const change = (text: string) => {
    setDraft(text)
    onChange(text)
  }
  return <TextField {...field} value={draft} onChange={change} />
}

'use client'

import { useState, useSyncExternalStore } from 'react'
import { Choice } from '@/components/ui/choice'
import { Setting } from '@/components/ui/setting'
import { type NotifyState, notifyState, turnNotifyOff, turnNotifyOn } from '@/lib/browser/notify'
import { t } from '@/lib/i18n/t'

const NEVER = () => () => undefined

/** Whether the browser says that an answer ended. It is asked for leave by the click here, and never else. */
export function NotifySetting() {
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

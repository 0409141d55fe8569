'use client'

import { Choices } from '@/components/chat/composer/choices'
import type { useSetup } from '@/lib/browser/chat-setup'
import type { Effort, ModelCard } from '@/lib/browser/models'
import { msg, t } from '@/lib/i18n/t'

type ThinkPanelProps = { setup: ReturnType<typeof useSetup>; model: ModelCard }

/** How much a model that reasons thinks before it answers. */
export function ThinkPanel({ setup, model }: ThinkPanelProps) {
  const { settings, change } = setup
  const set = (value: Effort | 'own' | 'off') => {
    const { effort: _, isThinkingOff: __, ...rest } = settings
    if (value === 'off') change({ settings: { ...rest, isThinkingOff: true } })
    else change({ settings: value === 'own' ? rest : { ...rest, effort: value } })
  }
  return (
    <Choices<Effort | 'own' | 'off'>
      legend={t('Thinking is billed as output tokens.')}
      name="think"
      value={settings.isThinkingOff ? 'off' : (settings.effort ?? 'own')}
      onChange={set}
      choices={[
        { value: 'own', label: t('Model default'), hint: t('Uses the model’s own setting.') },
        ...model.efforts.map((effort) => ({
          value: effort,
          label: t(EFFORTS[effort].label),
          hint: t(EFFORTS[effort].hint),
        })),
        { value: 'off', label: t('Off'), hint: t('Answers right away, if supported.') },
      ]}
    />
  )
}

const EFFORTS: Record<Effort, { label: string; hint: string }> = {
  minimal: { label: msg('Minimal'), hint: msg('Very short thinking, for simple tasks.') },
  low: { label: msg('Low'), hint: msg('Short thinking.') },
  medium: { label: msg('Medium'), hint: msg('For most tasks.') },
  high: { label: msg('High'), hint: msg('Long thinking. Slower and more expensive.') },
}

'use client'

import { RangeField } from '@/components/studio/audio/range-field'
import { formatNumber, t } from '@/lib/i18n/t'

/** Speeds are heard as ratios: half and double are as far from natural as each other. */
const STEP = 0.02
/** Nobody hears a smaller difference. */
const GRAIN = 20

type SpeedFieldProps = { value: number; least: number; most: number; onChange: (speed: number) => void }

/** How fast somebody speaks; 1 is natural. */
export function SpeedField({ value, least, most, onChange }: SpeedFieldProps) {
  return (
    <RangeField
      label={t('Speed')}
      value={Math.log2(value)}
      least={Math.log2(least)}
      most={Math.log2(most)}
      step={STEP}
      shown={t('{speed}×', { speed: formatNumber(value, { minimumFractionDigits: 2 }) })}
      onChange={(power) => onChange(Math.min(most, Math.max(least, Math.round(2 ** power * GRAIN) / GRAIN)))}
    />
  )
}

'use client'

import { changeImageSettings } from '@/components/studio/image/draft'
import type { ImageModel } from '@/components/studio/image/models'
import { type ImageSettings, PLAIN_SIDE, ratiosOf } from '@/components/studio/image/settings'
import { Choices } from '@/components/studio/parts/fields'
import { Shape } from '@/components/studio/parts/shape'
import { NumberField } from '@/components/ui/number-field'
import { MAX_GENERATED_SIDE, MIN_GENERATED_SIDE } from '@/lib/contract/limits'
import { t } from '@/lib/i18n/t'

type SizeFieldProps = { model: ImageModel; settings: ImageSettings; isEdit?: boolean }

/** `auto`, and one that is left out: as the picture that is edited. */
const AUTO = 'auto'
const PLAIN_RATIO = '1:1'
const OWN = 'own'

/** The shape of the picture, and where a model has them its resolutions. */
export function SizeField({ model, settings, isEdit = false }: SizeFieldProps) {
  const ratios = ratiosOf(model)
  const isOwn = settings.width !== undefined && settings.height !== undefined && model.divisor > 0 && !isEdit
  const usual = isEdit ? AUTO : (model.defaultRatio ?? (ratios.includes(PLAIN_RATIO) ? PLAIN_RATIO : (ratios[0] ?? '')))
  const choose = (ratio: string) => {
    if (ratio === OWN) return changeImageSettings({ ratio: undefined, width: PLAIN_SIDE, height: PLAIN_SIDE })
    changeImageSettings({ ratio: ratio === usual ? undefined : ratio, width: undefined, height: undefined })
  }
  const options = ratios.map((ratio) => ({
    value: ratio,
    label: ratio === AUTO ? t('Original') : ratio,
    icon: <Shape ratio={ratio} />,
  }))
  const own = { value: OWN, label: t('Pixels'), icon: null }
  return (
    <>
      {ratios.length > 1 && (
        <Choices
          label={t('Aspect ratio')}
          value={isOwn ? OWN : settings.ratio && ratios.includes(settings.ratio) ? settings.ratio : usual}
          options={model.divisor > 0 && !isEdit ? [...options, own] : options}
          onChange={choose}
        />
      )}
      {isOwn && <Pixels settings={settings} divisor={model.divisor} />}
      {model.resolutions.length > 1 && (
        <Choices
          label={t('Resolution')}
          value={settings.resolution ?? model.defaultResolution ?? model.resolutions[0] ?? ''}
          options={model.resolutions.map((name) => ({ value: name, label: name }))}
          onChange={(resolution) => changeImageSettings({ resolution })}
        />
      )}
    </>
  )
}

function Pixels({ settings, divisor }: Pick<SizeFieldProps, 'settings'> & { divisor: number }) {
  const hint =
    divisor > 1
      ? t('{least} to {most}, in steps of {divisor}', {
          least: MIN_GENERATED_SIDE,
          most: String(MAX_GENERATED_SIDE),
          divisor,
        })
      : t('{least} to {most}', { least: MIN_GENERATED_SIDE, most: String(MAX_GENERATED_SIDE) })
  const bounds = { min: MIN_GENERATED_SIDE, max: MAX_GENERATED_SIDE, isWhole: true, hint }
  return (
    <div className="grid grid-cols-2 gap-3">
      <NumberField
        {...bounds}
        label={t('Width')}
        value={settings.width}
        onChange={(width) => changeImageSettings({ width: width ?? PLAIN_SIDE })}
      />
      <NumberField
        {...bounds}
        label={t('Height')}
        value={settings.height}
        onChange={(height) => changeImageSettings({ height: height ?? PLAIN_SIDE })}
      />
    </div>
  )
}

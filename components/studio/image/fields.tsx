'use client'

import { useQuery } from '@tanstack/react-query'
import { changeImageSettings } from '@/components/studio/image/draft'
import { type ImageModel, type Quality, stylesQuery } from '@/components/studio/image/models'
import {
  DEFAULT_SIDE_PX,
  FORMATS,
  type ImageFormat,
  type ImageSettings,
  ratiosOf,
} from '@/components/studio/image/settings'
import { Choices, More, PromptField, Shape } from '@/components/studio/parts/fields'
import { NumberField, SelectField } from '@/components/ui/form-fields'
import { Toggle } from '@/components/ui/toggle'
import { formatMoney } from '@/lib/browser/format/cost'
import { MAX_CFG_SCALE, MAX_GENERATED_SIDE, MAX_SEED, MAX_VARIANTS, MIN_GENERATED_SIDE } from '@/lib/contract/limits'
import { PROMPT_REWRITE_PRICE } from '@/lib/contract/prices'
import { msg, t } from '@/lib/i18n/t'

type FieldsProps = { model: ImageModel; settings: ImageSettings }

const QUALITY_NAME: Readonly<Record<Quality, string>> = { low: msg('Low'), medium: msg('Medium'), high: msg('High') }

export function QualityField({ model, settings }: FieldsProps) {
  if (model.qualities.length < 2) return null
  return (
    <Choices
      label={t('Quality')}
      value={settings.quality ?? model.defaultQuality ?? model.qualities[0] ?? 'medium'}
      options={model.qualities.map((value) => ({ value, label: t(QUALITY_NAME[value]) }))}
      onChange={(quality) => changeImageSettings({ quality })}
    />
  )
}

export function VariantsField({ settings }: Pick<FieldsProps, 'settings'>) {
  const options = Array.from({ length: MAX_VARIANTS }, (_, at) => ({ value: String(at + 1), label: `×${at + 1}` }))
  return (
    <Choices
      label={t('Number of images')}
      value={String(settings.variants ?? 1)}
      options={options}
      onChange={(variants) => changeImageSettings({ variants: Number(variants) })}
    />
  )
}

export function StyleField({ settings }: Pick<FieldsProps, 'settings'>) {
  const { data: styles = [] } = useQuery(stylesQuery())
  if (styles.length === 0) return null
  return (
    <SelectField
      label={t('Style')}
      value={settings.style ?? ''}
      options={[{ value: '', label: t('None') }, ...styles.map((name) => ({ value: name, label: name }))]}
      onChange={(style) => changeImageSettings({ style: style || undefined })}
    />
  )
}

/** `filled` changes when the fields are filled from elsewhere. */
export function MoreForGenerate({ model, settings, filled }: FieldsProps & { filled: number }) {
  return (
    <More isOpen={Boolean(settings.negativePrompt)}>
      <PromptField
        label={t('Negative prompt')}
        placeholder={t('blurry, text, people…')}
        value={settings.negativePrompt ?? ''}
        onChange={(negativePrompt) => changeImageSettings({ negativePrompt })}
        max={model.maxPromptChars}
        rows={2}
      />
      <div key={filled} className="grid grid-cols-2 gap-3">
        <NumberField
          label={t('Seed')}
          hint={t('The same seed gives the same image.')}
          value={settings.seed}
          min={0}
          max={MAX_SEED}
          isWhole
          onChange={(seed) => changeImageSettings({ seed })}
        />
        <NumberField
          label={t('Guidance')}
          hint={t('Higher values follow the prompt more closely.')}
          value={settings.cfgScale}
          min={0.1}
          max={MAX_CFG_SCALE}
          onChange={(cfgScale) => changeImageSettings({ cfgScale })}
        />
        {model.steps && (
          <NumberField
            label={t('Steps')}
            hint={t('Default: {usual}.', { usual: model.steps.default })}
            value={settings.steps}
            min={1}
            max={model.steps.max}
            isWhole
            onChange={(steps) => changeImageSettings({ steps })}
          />
        )}
      </div>
      <Common settings={settings} />
    </More>
  )
}

type MoreForEditProps = Pick<FieldsProps, 'settings'> & { readsPrompt: boolean }

export const MoreForEdit = ({ settings, readsPrompt }: MoreForEditProps) => (
  <More>
    <Common settings={settings} isEdit readsPrompt={readsPrompt} />
  </More>
)

const FORMAT_NAME: Readonly<Record<ImageFormat, string>> = { webp: 'WebP', png: 'PNG', jpeg: 'JPEG' }
const UNSET = ''

type CommonProps = Pick<FieldsProps, 'settings'> & { isEdit?: boolean; readsPrompt?: boolean }

function Common({ settings, isEdit = false, readsPrompt = true }: CommonProps) {
  const formats = FORMATS.map((value) => ({ value: value as string, label: FORMAT_NAME[value] }))
  const usual = isEdit ? [{ value: UNSET, label: t('Model default') }] : []
  return (
    <>
      <Choices
        label={t('Format')}
        value={settings.format ?? (isEdit ? UNSET : 'webp')}
        options={[...usual, ...formats]}
        onChange={(format) => changeImageSettings({ format: FORMATS.find((one) => one === format) })}
      />
      {readsPrompt && <PromptToggles settings={settings} />}
    </>
  )
}

function PromptToggles({ settings }: Pick<FieldsProps, 'settings'>) {
  return (
    <>
      <Toggle
        label={t('Enhance prompt')}
        hint={t('A chat model improves the prompt for {price} per rewrite.', {
          price: formatMoney(PROMPT_REWRITE_PRICE),
        })}
        isOn={settings.rewritesPrompt ?? false}
        onChange={(isOn) => changeImageSettings({ rewritesPrompt: isOn || undefined })}
      />
      <Toggle
        label={t('Safe mode')}
        hint={t('Models that support safe mode blur or refuse adult content.')}
        isOn={!settings.isSafeModeOff}
        onChange={(isOn) => changeImageSettings({ isSafeModeOff: isOn ? undefined : true })}
      />
    </>
  )
}

type SizeFieldProps = { model: ImageModel; settings: ImageSettings; isEdit?: boolean }

// Also where no ratio is given: as the image that is edited.
const AUTO = 'auto'
const DEFAULT_RATIO = '1:1'
const OWN = 'own'

export function SizeField({ model, settings, isEdit = false }: SizeFieldProps) {
  const ratios = ratiosOf(model)
  const isOwn = settings.width !== undefined && settings.height !== undefined && model.divisor > 0 && !isEdit
  const usual = isEdit
    ? AUTO
    : (model.defaultRatio ?? (ratios.includes(DEFAULT_RATIO) ? DEFAULT_RATIO : (ratios[0] ?? '')))
  const choose = (ratio: string) => {
    if (ratio === OWN) return changeImageSettings({ ratio: undefined, width: DEFAULT_SIDE_PX, height: DEFAULT_SIDE_PX })
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
        onChange={(width) => changeImageSettings({ width: width ?? DEFAULT_SIDE_PX })}
      />
      <NumberField
        {...bounds}
        label={t('Height')}
        value={settings.height}
        onChange={(height) => changeImageSettings({ height: height ?? DEFAULT_SIDE_PX })}
      />
    </div>
  )
}

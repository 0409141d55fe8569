import { expect, test } from 'vitest'
import { chooseOnnxVariant, onnxKindOf } from '@/lib/services/engines/embedded/hub/repository-files'

const repository = 'some/whisper-base'
const SHARED = ['config.json', 'generation_config.json', 'tokenizer.json', 'tokenizer_config.json', 'vocab.json']
const filesOf = (...endings: string[]) =>
  [
    ...SHARED,
    ...endings.flatMap((ending) => [`onnx/encoder_model${ending}`, `onnx/decoder_model_merged${ending}`]),
  ].map((path) => ({ path, sizeBytes: 1 }))
const choose = (files: ReturnType<typeof filesOf>, quantization?: string) => {
  const { quantization: chosen, files: named } = chooseOnnxVariant('speech', files, { repository, quantization })
  return [chosen, Object.fromEntries(named.map(([name, { path }]) => [name, path]))]
}

test('the usual quantization is chosen, or the one that is named, with the files that all share', () => {
  const files = filesOf('.onnx', '_fp16.onnx', '_q4.onnx', '_quantized.onnx')
  const shared = {
    'config.json': 'config.json',
    'generation.json': 'generation_config.json',
    'tokenizer.json': 'tokenizer.json',
    'tokenizer_config.json': 'tokenizer_config.json',
  }
  const parts = (ending: string) => ({
    'encoder.onnx': `onnx/encoder_model${ending}`,
    'decoder.onnx': `onnx/decoder_model_merged${ending}`,
    ...shared,
  })
  expect(choose(files)).toEqual(['INT8', parts('_quantized.onnx')])
  expect(choose(files, 'Q4')).toEqual(['Q4', parts('_q4.onnx')])
  expect(choose(filesOf('.onnx'))).toEqual(['FP32', parts('.onnx')])
})

test('what is not there is named, with what is there instead', () => {
  const files = filesOf('.onnx', '_quantized.onnx')
  expect(() => choose(files, 'FP16')).toThrow(`${repository} has no quantization FP16. It has: INT8, FP32.`)
  expect(() => choose(files.filter(({ path }) => path !== 'tokenizer.json'))).toThrow(
    'no speech model that this version can run: tokenizer.json is missing. Choose another repository',
  )
  const isMerged = ({ path }: { path: string }) => path.includes('merged')
  expect(() => choose(filesOf('_quantized.onnx').filter((file) => !isMerged(file)))).toThrow(
    'onnx/decoder_model_merged_quantized.onnx is missing',
  )
  // Weights beside their file belong to models larger than two gigabytes.
  expect(() => choose([...filesOf('.onnx'), { path: 'onnx/encoder_model.onnx_data', sizeBytes: 1 }])).toThrow('missing')
})

test('a repository has the kind of model that its networks are of', () => {
  const named = (...paths: string[]) => paths.map((path) => ({ path, sizeBytes: 1 }))
  expect(onnxKindOf(filesOf('_quantized.onnx'))).toBe('speech')
  expect(onnxKindOf(named('onnx/decoder_model_merged_q4.onnx', 'onnx/vision_encoder_q4.onnx'))).toBe('vision')
  expect(onnxKindOf(filesOf())).toBeUndefined()
  expect(onnxKindOf(named('onnx/model_quantized.onnx'))).toBeUndefined()
})

test('a model for images has three networks, what reads images, and a chat template where there is one', () => {
  const networks = (ending: string) =>
    ['vision_encoder', 'embed_tokens', 'decoder_model_merged'].map((name) => `onnx/${name}${ending}.onnx`)
  const settings = [
    'config.json',
    'preprocessor_config.json',
    'processor_config.json',
    'tokenizer.json',
    'tokenizer_config.json',
  ]
  const paths = [
    ...networks(''),
    ...networks('_fp16'),
    ...networks('_quantized'),
    ...settings,
    'chat_template.json',
    'merges.txt',
  ]
  const all = paths.map((path) => ({ path, sizeBytes: 1 }))
  const { quantization, files } = chooseOnnxVariant('vision', all, { repository })
  expect(quantization).toBe('INT8')
  expect(files.map(([name, { path }]) => `${name} ${path}`)).toEqual([
    'decoder_model_merged.onnx onnx/decoder_model_merged_quantized.onnx',
    'vision_encoder.onnx onnx/vision_encoder_quantized.onnx',
    'embed_tokens.onnx onnx/embed_tokens_quantized.onnx',
    ...[...settings, 'chat_template.json'].map((name) => `${name} ${name}`),
  ])
  const incomplete = all.filter(({ path }) => path !== 'processor_config.json')
  expect(() => chooseOnnxVariant('vision', incomplete, { repository })).toThrow(
    'no model for images that this version can run: processor_config.json is missing',
  )
})

import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { chooseVariant, partNames, quantizationOf } from '@/lib/services/engines/embedded/hub/repository-files'
import { formatSource, isFromSource, parseSource } from '@/lib/services/engines/embedded/hub/source'

describe('a source', () => {
  test.each([
    ['hf:Qwen/Qwen3-8B-GGUF', { type: 'hub', repository: 'Qwen/Qwen3-8B-GGUF' }],
    ['hf:a/b:q4_k_m', { type: 'hub', repository: 'a/b', quantization: 'Q4_K_M' }],
    [
      'hf:a/b/Q4_K_M/model-00001-of-00002.gguf',
      { type: 'hub', repository: 'a/b', file: 'Q4_K_M/model-00001-of-00002.gguf' },
    ],
    ['https://huggingface.co/a/b', { type: 'hub', repository: 'a/b' }],
    ['https://huggingface.co/a/b/tree/main', { type: 'hub', repository: 'a/b' }],
    ['https://huggingface.co/a/b/blob/main/x%20y.gguf', { type: 'hub', repository: 'a/b', file: 'x y.gguf' }],
    ['https://hf.co/a/b/resolve/main/x.gguf?download=true', { type: 'hub', repository: 'a/b', file: 'x.gguf' }],
    ['https://host/x.gguf#part', { type: 'url', url: 'https://host/x.gguf' }],
    ['/disk/x.gguf', { type: 'file', path: '/disk/x.gguf' }],
    ['x.GGUF', { type: 'file', path: path.resolve('x.GGUF') }],
  ])('such as %s is read', (text, source) => {
    expect(parseSource(text)).toEqual(source)
    expect(parseSource(formatSource(parseSource(text)))).toEqual(source)
  })

  test.each([
    '',
    'qwen',
    'hf:',
    'hf:a',
    'hf:a/../b',
    'hf:a/b:',
    'hf:a/b:x/y',
    'hf:a/b/../../c.gguf',
    'hf:a/b/readme.md',
    'ftp://host/x.gguf',
    'file:///etc/passwd',
    'https://user:secret@host/x.gguf',
    '/etc/passwd',
    `hf:a/${'b'.repeat(3_000)}`,
  ])('such as %j is refused, with what is accepted', (text) => {
    expect(() => parseSource(text)).toThrow(
      expect.objectContaining({ reason: 'invalid-request', message: expect.stringMatching(/hf:OWNER\/REPO/) }),
    )
  })

  test('without a quantization is any of the repository’s', () => {
    expect(isFromSource('hf:a/b:Q8_0', parseSource('hf:a/b'))).toBe(true)
    expect(isFromSource('hf:a/b:Q8_0', parseSource('hf:a/b:Q8_0'))).toBe(true)
    expect(isFromSource('hf:a/b:Q8_0', parseSource('hf:a/b:Q4_K_M'))).toBe(false)
    expect(isFromSource('hf:a/bc:Q8_0', parseSource('hf:a/b'))).toBe(false)
  })
})

describe('files of a repository', () => {
  test.each([
    ['Qwen3-0.6B-Q8_0.gguf', 'Q8_0'],
    ['qwen2.5-coder-1.5b-instruct-q4_k_m.gguf', 'Q4_K_M'],
    ['tinyllama-1.1b-chat-v1.0.Q4_K_M.gguf', 'Q4_K_M'],
    ['Qwen3-4B-Instruct-2507-UD-Q4_K_XL.gguf', 'Q4_K_XL'],
    ['gpt-oss-20b-mxfp4.gguf', 'MXFP4'],
    ['Llama-3.2-1B-Instruct-f16.gguf', 'F16'],
    ['model-fp16.gguf', 'F16'],
    ['Phi-4-mini-instruct.BF16.gguf', 'BF16'],
    ['Mistral-Small-3.2-24B-Instruct-2506-IQ4_XS.gguf', 'IQ4_XS'],
    ['UD-IQ1_S/DeepSeek-R1-UD-IQ1_S-00001-of-00003.gguf', 'IQ1_S'],
    ['Q6_K_L/x-00002-of-00002.gguf', 'Q6_K_L'],
    ['model.gguf', undefined],
  ])('%s is of its quantization', (name, quantization) => {
    expect(quantizationOf(name)).toBe(quantization)
  })

  const file = (name: string, sizeBytes = 1_000) => ({ path: name, sizeBytes })
  const chosen = (names: string[], more: { quantization?: string; file?: string } = {}) =>
    chooseVariant(
      names.map((name) => file(name)),
      { repository: 'a/b', ...more },
    ).files.map((one) => one.path)

  test('are chosen by the usual quantization first, then its neighbours', () => {
    expect(chosen(['x-Q2_K.gguf', 'x-Q8_0.gguf', 'x-Q4_K_M.gguf'])).toEqual(['x-Q4_K_M.gguf'])
    expect(chosen(['x-Q2_K.gguf', 'x-Q8_0.gguf', 'x-Q5_K_M.gguf'])).toEqual(['x-Q5_K_M.gguf'])
    expect(chosen(['x-IQ2_XXS.gguf', 'x-F16.gguf'])).toEqual(['x-F16.gguf'])
    expect(chosen(['x.gguf', 'mmproj-x-F16.gguf', 'x-imatrix.gguf'])).toEqual(['x.gguf'])
  })

  test('that are split come together, and incomplete ones not at all', () => {
    const parts = partNames('x-Q4_K_M-00001-of-00003.gguf')
    expect(parts).toHaveLength(3)
    expect(chosen(parts)).toEqual(parts)
    expect(chosen([...parts.slice(0, 2), 'x-Q8_0.gguf'])).toEqual(['x-Q8_0.gguf'])
    expect(chosen([...parts, 'x-Q4_K_M.gguf'], { quantization: 'Q4_K_M' })).toEqual(['x-Q4_K_M.gguf'])
    expect(chosen(parts, { file: parts[1] })).toEqual(parts)
  })
})

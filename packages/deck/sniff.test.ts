import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sniff } from './sniff.ts'

const kinds: readonly (readonly [string, ReturnType<typeof sniff>])[] = [
  ['%PDF-1.7\n...', 'pdf'],
  ['\u00ef\u00bb\u00bf%PDF-1.4', 'pdf'],
  ['PK\u0003\u0004....', 'pptx'],
  ['\u0089PNG\r\n\u001a\n....', 'png'],
  ['\u00ff\u00d8\u00ff\u00e0', 'jpeg'],
  ['RIFF....WEBPVP8 ', 'webp'],
  ['# Title\n\n- text', 'markdown'],
  ['RIFF....WAVEfmt ', 'markdown'],
  ['', undefined],
  ['GIF89a', undefined],
  ['GIF89a\u0001%PDF-1.4', undefined],
  ['<svg/>', undefined],
  ['<html>%PDF-1.4', undefined],
  ['{"slides":[]}', undefined],
  ['\u00d0\u00cf\u0011\u00e0\u00a1\u00b1\u001a\u00e1', undefined],
  ['text with \u0000', undefined],
  ['\u00ff\u00fe# utf-16', undefined],
]

test('a file is what its first bytes say', () => {
  for (const [text, kind] of kinds) assert.equal(sniff(Buffer.from(text, 'latin1')), kind, JSON.stringify(text))
})

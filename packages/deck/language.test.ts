import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { detectLanguage } from './language.ts'

const decks: Readonly<Record<string, string[]>> = {
  en: ['Cold storage for berries', 'What it costs and when it pays back\n- The compressor runs at night\n- You keep 40 % of the bill'],
  de: ['Kühlung für Beeren', 'Was es kostet\n- Der Kompressor läuft in der Nacht\n- Die Rechnung sinkt um 40 %'],
  fr: ['Le froid pour les baies', 'Ce que cela coûte\n- Le compresseur tourne la nuit\n- La facture baisse de 40 %'],
  es: ['Frío para las bayas', 'Lo que cuesta\n- El compresor trabaja por la noche\n- La factura baja un 40 %'],
  pt: [
    'Frio para as frutas',
    'Quanto custa\n- O compressor trabalha à noite para os clientes\n- A conta cai com uma média de 40 % dos meses',
  ],
  ja: ['いちごの冷蔵', '費用について\n- 圧縮機は夜に動きます\n- 電気代は四割下がります'],
  zh: ['草莓的冷藏', '费用与回报\n- 压缩机在夜间运行\n- 电费下降百分之四十'],
  ar: ['تبريد التوت', 'كم يكلف ذلك\n- يعمل الضاغط في الليل\n- تنخفض الفاتورة بنسبة أربعين بالمئة'],
  el: ['Ψύξη για μούρα', 'Πόσο κοστίζει\n- Ο συμπιεστής λειτουργεί τη νύχτα\n- Ο λογαριασμός πέφτει'],
}

for (const [language, texts] of Object.entries(decks)) {
  test(`a deck in ${language} is told by its words`, () => assert.equal(detectLanguage(texts), language))
}

test('a German deck full of English terms is German', () => {
  const texts = ['Cloud Security Roadmap', 'Continuous Integration und Monitoring\n- Das Team prüft den Build mit jedem Commit']
  assert.equal(detectLanguage(texts), 'de')
})

test('a German deck that is mostly code is German: names in a program are words of no language', () => {
  const program = ['for (i = 0; i < con; i++) {', 'el = la[i] + del;', 'y :: Lo -> Con', 'se = map la (y:el)', '}']
  const slides = ['Sortieren in der Praxis\n- Die Liste wird geteilt', 'Wie es mit dem Beweis ist']
  assert.equal(detectLanguage(slides.flatMap((slide) => [slide, ...program, ...program])), 'de')
})

test('a Portuguese deck of short items is told by its "do" and "no"', () => {
  assert.equal(
    detectLanguage([
      'Agenda\n- Arquivos no SQL Server\n- Consumo de API no servidor\n- Importando arquivos do Excel\n- Autor do livro de XML',
    ]),
    'pt',
  )
})

test('names and terms alone tell no language: the default holds', () => {
  assert.equal(detectLanguage(['Docker Kubernetes Postgres', 'Grafana Loki Tempo Mimir Redis Kafka Airflow']), undefined)
  assert.equal(detectLanguage(['Preise']), undefined)
  assert.equal(detectLanguage([]), undefined)
})

test('any text gives a language tag or none', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'binary', maxLength: 400 }), { maxLength: 8 }), (texts) => {
      const language = detectLanguage(texts)
      assert.ok(language === undefined || Intl.getCanonicalLocales(language).length === 1)
    }),
  )
})

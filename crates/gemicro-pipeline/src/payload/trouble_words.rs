//! The words by which feedback reports problems, and those that cancel a mention.
//!
//! The main type is [`PhraseList`]. Entries are lower case and separated by white space; `_` stands for a space inside
//! a phrase. The lists are only data; the rules are in `trouble`.

/// A list of words or phrases.
pub(super) struct PhraseList(&'static str);

impl PhraseList {
    /// Returns true if the list has this word.
    pub(super) fn has(&self, word: &str) -> bool {
        self.0.split_ascii_whitespace().any(|listed| listed == word)
    }

    /// Returns the lengths, in words, of all phrases that these words start with.
    pub(super) fn beginnings(&self, words: &[&str]) -> impl Iterator<Item = usize> {
        self.0.split_ascii_whitespace().filter_map(move |phrase| {
            let n_words = phrase.split('_').count();
            let is_next = n_words <= words.len() && phrase.split('_').eq(words[..n_words].iter().copied());
            is_next.then_some(n_words)
        })
    }

    /// Returns true if a word starts with an entry of the list.
    pub(super) fn has_stem_of(&self, word: &str) -> bool {
        self.0.split_ascii_whitespace().any(|stem| word.starts_with(stem))
    }

    /// Returns all phrases, with spaces.
    pub(super) fn phrases(&self) -> impl Iterator<Item = String> {
        self.0
            .split_ascii_whitespace()
            .map(|phrase| phrase.replace('_', " "))
    }
}

/// Words for a crash, or for something incomplete.
pub(super) const TROUBLE: PhraseList = PhraseList(
    "crash crashes crashed crashing segfault segfaults segfaulted sigsegv sigabrt sigbus sigill sigkill \
     panic panics panicked panicking aborts aborted oom hangs hung deadlock deadlocks deadlocked killed \
     broken unresolved unsolved unfixed unfinished incomplete traceback",
);

/// Like [`TROUBLE`], for phrases.
pub(super) const TROUBLE_PHRASES: PhraseList = PhraseList(
    "segmentation_fault core_dumped stack_overflow out_of_memory timed_out times_out gave_up giving_up \
     conflict_markers markers_left head_markers left_in_place time_out compilation_error \
     compilation_errors compile_error compile_errors compiler_error compiler_errors build_error build_errors \
     unhandled_exception uncaught_exception memory_corruption stack_trace",
);

/// Forms of "fail"; they count near a word in [`CHECKED`], or after a number.
pub(super) const FAILING: PhraseList = PhraseList("fail fails failed failing failure failures red");

/// Tests, builds and their tools.
pub(super) const CHECKED: PhraseList = PhraseList(
    "test tests testing suite build builds compile compiles compilation ci check checks lint clippy cargo \
     pytest make npm run merge still assertion assertions",
);

/// Faults that count if they are said to remain.
pub(super) const FAULTS: PhraseList = PhraseList(
    "error errors problem problems issue issues bug bugs conflict conflicts failure failures marker \
     markers leak leaks wrong exception exceptions",
);

/// Words that say that something remains.
pub(super) const LASTING: PhraseList = PhraseList(
    "still again remain remains remaining persist persists persisting sporadically occasionally sometimes",
);

/// Words that deny the next few words.
pub(super) const NEGATORS: PhraseList =
    PhraseList("no not never none without zero 0 nothing neither nor cannot free");

/// Words that break the link between a denial and its object: "I do not know why it crashes".
pub(super) const BREAKERS: PhraseList =
    PhraseList("know why understand sure because how what when where if since only just longer until");

/// Words that say that a problem is resolved or prevented.
pub(super) const OVER: PhraseList = PhraseList(
    "fix fixed fixes fixing resolved resolves solved solves gone removed removes repaired cured cures \
     prevent prevents prevented preventing avoid avoids avoided avoiding eliminated eliminates addressed \
     addresses corrected handled handles disappeared guards guarded protects instead rather previously \
     formerly earlier longer anymore simulated simulates injected expected deliberately deliberate \
     recovers survives catches stopped mutant mutants closes closed reproduces",
);

/// Words that make a resolution only planned or partial.
pub(super) const PARTLY: PhraseList = PhraseList(
    "partially partly mostly half some most almost todo need needs must should later cannot unable",
);

/// Words that turn the preceding problem word into a modifier: a crash handler is not a crash.
pub(super) const QUALIFIED: PhraseList = PhraseList(
    "handler handlers handling reporter reporting recovery safe safety proof free resistant hook hooks \
     button detection detector tests test consistency message messages",
);

/// Phrases that introduce an inability.
pub(super) const INABILITY: PhraseList = PhraseList(
    "could_not couldn't cannot can_not can't unable_to not_able_to no_way_to failed_to fails_to fail_to \
     impossible_to not_possible_to",
);

/// Phrases that introduce something that did not happen.
pub(super) const LACK: PhraseList = PhraseList(
    "does_not doesn't do_not don't did_not didn't will_not won't is_not isn't are_not aren't was_not \
     wasn't were_not weren't not_yet not never",
);

/// Words allowed between such a phrase and its verb.
pub(super) const FILLERS: PhraseList = PhraseList(
    "be been being get to yet even fully properly completely all ever actually currently still really \
     cleanly correctly entirely successfully it them the this that any",
);

/// Stems of verbs for the work itself; they count for people and things.
pub(super) const WORK_VERBS: PhraseList = PhraseList(
    "fix resolv solv build built compil start finish complet pass work merg repair boot link succeed",
);

/// Stems of verbs that count only for people; of a thing they are harmless: "it does not test the colour".
pub(super) const CHECK_VERBS: PhraseList = PhraseList("run ran execut test verif review check install apply");

/// Words for success that is assumed instead of checked.
pub(super) const HOPED: PhraseList = PhraseList("fine ok okay works passes pass good correct green");

/// Parts of keys that name a problem.
pub(super) const TROUBLE_KEYS: PhraseList = PhraseList(
    "crash crashes crashed segfault panic panics unresolved unsolved unfixed broken error errors failed \
     failing failure failures exception",
);

/// Keys whose value is an outcome.
pub(super) const OUTCOME_KEYS: PhraseList = PhraseList("status result outcome verdict state conclusion");

/// Values of such keys that report a problem.
pub(super) const BAD_OUTCOMES: PhraseList = PhraseList(
    "fail fails failed failing failure error errors errored red broken incomplete crashed aborted timeout",
);

/// Parts of keys that make such a key harmless: `fixed_errors`, `error_handling`.
pub(super) const HARMLESS_KEYS: PhraseList = PhraseList(
    "fixed resolved solved handled handling handler message messages code codes path paths type types \
     expected previous no",
);

/// Texts that deny the problem named by their key.
pub(super) const DENIALS: PhraseList = PhraseList(
    "none no n/a na nil null false 0 - nothing nothing_left keine kein nein ninguno ninguna aucun aucune \
     nenhum nessuno нет 无 無 没有 なし 없음",
);

/// Problem phrases in Chinese, Japanese, Korean, German, French, Spanish, Portuguese, Italian, Russian, Ukrainian,
/// Polish, Dutch, Turkish, Arabic, Hindi, Vietnamese and Indonesian.
///
/// Each matches at the start of a word; in Chinese, Japanese and Korean anywhere. `…` stands for any words.
pub(super) const FOREIGN_TROUBLE: PhraseList = PhraseList(
    "崩溃 崩潰 段错误 无法运行 无法编译 无法构建 无法解决 无法修复 无法启动 无法通过 无法完成 無法 未解决 \
     未解決 没有解决 尚未修复 未修复 未能 失败 失敗 超时 报错 死锁 卡死 仍然报错 \
     クラッシュ 異常終了 未修正 できません できなかった タイムアウトし 落ちる 落ちます ハングし \
     크래시 충돌이_발생 충돌합니다 실패 해결되지 해결하지_못 미해결 멈춥니다 할_수_없 \
     absturz abstürze abgestürzt stürzt stürzen ungelöst nicht_gelöst nicht_behoben nicht_beheben \
     nicht_lösen fehlgeschlagen schlägt_fehl schlagen_fehl konnte_…_nicht_ konnten_…_nicht_ konnte_nicht konnten_nicht baut_nicht \
     kompiliert_nicht läuft_nicht hängt_sich_auf zeitüberschreitung \
     plante_ plantent planté plantage non_résolu pas_résolu pas_pu échoue échoué échouent ne_compile_pas \
     impossible_de erreur_non se_bloque \
     falla_ fallan falló fallaron se_cuelga se_bloquea se_cae colapsa sin_resolver no_resuelto \
     no_resuelta no_se_pudo no_se_pudieron no_pude no_compila no_se_ha_podido \
     falha_ao falham falhou falharam trava_ não_resolvid não_foi_possível não_consegui não_compila \
     va_in_crash si_blocca non_risolt fallisce falliscono fallito falliti non_compila \
     non_è_stato_possibile impossibile_ \
     падает падают упал вылетает сбой аварийн не_удалось не_решен не_решён не_исправлен не_собирается \
     не_компилируется не_проходят не_проходит завершился_с_ошибкой падає не_вдалося \
     nie_udało nie_działa nierozwiązan zawiesza_się crasht loopt_vast niet_opgelost mislukt çöküyor çöktü \
     başarısız çözülmedi çözülemedi \
     انهيار ينهار يتعطل تعطل فشل لم_يتم_حل क्रैश विफल bị_lỗi không_thể thất_bại gagal",
);

/// Phrases that cancel a problem in another language, in the same clause.
///
/// Each names the problem or its end: a bare "no" cancels nothing.
pub(super) const FOREIGN_OVER: PhraseList = PhraseList(
    "没有崩溃 无崩溃 不再 不会 未出现 已修复 修复了 已解决 解决了 没有失败 无失败 零失败 0_失败 \
     クラッシュしません クラッシュしない クラッシュしなくなり クラッシュなし クラッシュはありません \
     失敗なし 失敗はありません 失敗しません 修正しました 修正済み 解決しました \
     해결했 해결됨 수정했 수정됨 실패_없음 실패가_없 크래시_없음 크래시가_없 발생하지_않 실패하지_않 \
     kein_absturz keine_abstürze keinen_absturz nicht_mehr ohne_absturz wurde_behoben wurden_behoben \
     ist_behoben sind_behoben behebt \
     ne_plante_plus aucun_plantage aucun_échec sans_plantage a_été_corrigé est_corrigé \
     ya_no ningún_fallo ninguna_falla fue_corregid está_corregid não_falha_mais nenhuma_falha \
     foi_corrigid nessun_crash è_stato_corretto \
     больше_не был_исправлен был_устранен был_устранён нет_сбо без_сбо \
     geen_crash is_opgelost zijn_opgelost naprawion giderildi düzeltildi لا_يوجد تم_إصلاح ठीक đã_sửa \
     tidak_ada",
);

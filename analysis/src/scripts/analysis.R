# Repeats with R alone what the study's plan declares, from tables that `redial export` wrote:
#
#     redial export {{study}}{{simulated}} --out data
#     Rscript analysis.R data
#
# It prints a row for each test and writes analysis-r.csv. Tests of means need base R; mixed models need lmerTest (linear
# and logistic) and ordinal. Inclusion rules, withdrawals and quotas are those of data/included; the plan's own exclusions
# are worked out here. Kept as Redial {{version}} wrote it; change a copy.
plan <- {{plan}}

arguments <- commandArgs(trailingOnly = TRUE)
export <- if (length(arguments)) arguments[[1]] else "data"

# Tables ---------------------------------------------------------------------------------------------------------------

read_table <- function(table) {
  camel <- gsub("_(.)", "\\U\\1", table, perl = TRUE)
  ending <- sprintf("_description-%s_data\\.csv$", camel)
  file <- list.files(file.path(export, "data", "included"), ending, full.names = TRUE)
  if (length(file) != 1) stop("no table '", table, "' in ", export)
  read.csv(file, colClasses = "character", na.strings = "", encoding = "UTF-8", check.names = FALSE)
}
number <- function(column) as.numeric(column)
yes <- function(column) as.numeric(column == "true")

sessions <- read_table("sessions")
questions_of <- function(task) {
  of <- read_table(paste0(task, "_questions"))
  of[of$practice != "true" & of$study_sha256 == plan$version, , drop = FALSE]
}
tasks <- lapply(c(reconstruction = "reconstruction", single_dimension = "single_dimension",
                  exploration = "exploration", concept_naming = "concept_naming"), questions_of)
condition_of <- function(rows) if (plan$conditions_are == "model") rows$model else rows$stage_id

# What a row of a table of questions says about a metric.
columns <- list(
  completion_rate = list("reconstruction", function(q) ifelse(q$outcome %in% c("solved", "skipped", "missed"), q$outcome == "solved", NA)),
  completion_rate_with_cut = list("reconstruction", function(q) ifelse(q$outcome %in% c("solved", "skipped", "missed", "cut"), q$outcome == "solved", NA)),
  response_time_s = list(names(tasks), function(q) number(q$response_time_s)),
  slide_distance = list("reconstruction", function(q) number(q$slide_distance_widths)),
  error_auc = list("reconstruction", function(q) number(q$error_auc_s)),
  error_auc_present = list("reconstruction", function(q) number(q$error_auc_present_s)),
  error_auc_change = list("reconstruction", function(q) number(q$error_auc_s)),
  correct_rate = list("single_dimension", function(q) yes(q$right)),
  confidence = list("single_dimension", function(q) number(q$confidence)),
  understanding = list("single_dimension", function(q) number(q$understanding)),
  passes = list("reconstruction", function(q) number(q$passes)),
  monotone_share = list("reconstruction", function(q) ifelse(number(q$moves) > 0, number(q$monotone_moves) / number(q$moves), NA)),
  reversals_per_s = list("reconstruction", function(q) ifelse(number(q$active_time_s) > 0, number(q$direction_reversals) / number(q$active_time_s), NA)),
  first_improvement_s = list("reconstruction", function(q) number(q$first_improvement_ms) / 1000),
  naming_rate = list("concept_naming", function(q) yes(q$named))
)
# What is one number of a person and stage.
of_stage <- function(metric) {
  stages <- unique(do.call(rbind, lapply(tasks, function(q) q[c("session", "stage", "stage_id", "model")])))
  if (metric %in% c("staircase_threshold", "staircase_reversals")) {
    rows <- read_table("staircases")
    rows$value <- number(if (metric == "staircase_threshold") rows$threshold_level else rows$reversals)
    return(rows)
  }
  scores <- read_table("scores")
  rows <- merge(scores[scores$score == sub("^score[.]", "", metric), c("session", "stage", "value")], stages, by = c("session", "stage"))
  rows$value <- number(rows$value)
  rows
}
# Rows of a metric: one for each question that ended, or for each stage.
rows_of <- function(metric) {
  source <- columns[[metric]]
  if (is.null(source)) {
    rows <- of_stage(metric)
    found <- data.frame(session = rows$session, condition = condition_of(rows), stage = rows$stage,
                        question = rep(0, nrow(rows)), item = rep(NA, nrow(rows)), value = rows$value)
  } else {
    found <- do.call(rbind, lapply(source[[1]], function(task) {
      q <- tasks[[task]]
      q <- q[q$outcome != "abandoned", , drop = FALSE]
      item <- if (is.null(q$target_z)) rep(NA, nrow(q)) else paste(q$start_z, q$target_z)
      data.frame(session = q$session, condition = condition_of(q), stage = q$stage,
                 question = number(q$question), item = item, value = as.numeric(source[[2]](q)))
    }))
  }
  found[!is.na(found$value) & found$session %in% sessions$session, , drop = FALSE]
}
# The value of each person in each condition.
values_of <- function(metric) {
  rows <- rows_of(metric)
  mean_of <- if (metric == "error_auc_change") function(v) {
    half <- (length(v) - 1) %/% 2
    if (half < 1) NA else mean(tail(v, half)) - mean(head(v, half))
  } else mean
  rows <- rows[order(rows$session, rows$stage, rows$question), , drop = FALSE]
  tapply(rows$value, list(rows$session, rows$condition), mean_of)
}

# Who is left out --------------------------------------------------------------------------------------------------------

scored <- do.call(rbind, lapply(tasks, function(q) q[c("session", "outcome", "away_s")]))
sessions <- sessions[sessions$study_sha256 == plan$version, , drop = FALSE]
if (isTRUE(plan$exclusions$marked)) sessions <- sessions[!(sessions$marked %in% "true"), , drop = FALSE]
for (limit in plan$exclusions$away) {
  away <- tapply(number(scored$away_s), scored$session, sum)
  sessions <- sessions[!(sessions$session %in% names(which(away > limit))), , drop = FALSE]
}
for (fewest in plan$exclusions$solved) {
  solved <- tapply(scored$outcome == "solved", factor(scored$session, sessions$session), sum)
  solved[is.na(solved)] <- 0
  sessions <- sessions[solved[sessions$session] >= fewest, , drop = FALSE]
}
outlying <- character()
for (rule in plan$exclusions$outlying) {
  z <- scale(values_of(rule$metric))
  outlying <- union(outlying, rownames(z)[rowSums(abs(z) > rule$beyond_sd, na.rm = TRUE) > 0])
}
sessions <- sessions[!(sessions$session %in% outlying), , drop = FALSE]

# Tests ------------------------------------------------------------------------------------------------------------------

row_of <- function(kind, name, n, estimate, se = NA, statistic = NA, df = NA, p = NA)
  data.frame(kind, name, n, estimate, se, statistic, df, p)
# Without what rounding leaves: values that are equal are ties.
rounded <- function(v) { most <- max(abs(v), 0); if (most == 0) v else round(v, 11 - ceiling(log10(most))) }
within_people <- plan$conditions_vary == "within"
# A weighted sum of conditions; of two conditions, the first less the second.
tested <- function(kind, name, wide, weights) {
  weights <- unlist(weights)
  if (within_people) {
    x <- wide %*% pmax(weights, 0); y <- wide %*% pmax(-weights, 0)
    if (plan$test == "rank") {
      d <- rounded(x - y); d <- d[d != 0]; r <- rank(abs(d)); v <- sum(r[d > 0])
      p <- suppressWarnings(wilcox.test(d, exact = FALSE, correct = TRUE)$p.value)
      return(row_of(kind, name, nrow(wide), 2 * v / sum(r) - 1, statistic = v, p = p))
    }
    t <- t.test(x, y, paired = TRUE)
    return(row_of(kind, name, nrow(wide), t$estimate[[1]], t$stderr, t$statistic[[1]], t$parameter[[1]], t$p.value))
  }
  samples <- lapply(names(weights), function(condition) { v <- wide[, condition]; v[!is.na(v)] })
  n <- lengths(samples); m <- sapply(samples, mean); s2 <- sapply(samples, var)
  if (plan$test == "rank") {
    both <- rounded(unlist(samples)); of <- rep(seq_along(samples), n)
    x <- both[of == which(weights == 1)]; y <- both[of == which(weights == -1)]
    w <- suppressWarnings(wilcox.test(x, y, exact = FALSE, correct = TRUE))
    return(row_of(kind, name, sum(n), 2 * w$statistic[[1]] / (length(x) * length(y)) - 1, statistic = w$statistic[[1]], p = w$p.value))
  }
  used <- if (kind == "pair" || plan$test == "welch") weights != 0 else n > 0
  parts <- (weights^2 * s2 / n)[used]
  if (plan$test == "welch") {
    se <- sqrt(sum(parts)); df <- sum(parts)^2 / sum(parts^2 / (n[used] - 1))
  } else {
    df <- sum(n[used] - 1); pooled <- sum(((n - 1) * s2)[used]) / df
    se <- sqrt(pooled * sum((weights^2 / n)[used]))
  }
  estimate <- sum((weights * m)[used])
  row_of(kind, name, sum(n), estimate, se, estimate / se, df, 2 * pt(-abs(estimate / se), df))
}
# Mixed models of single questions.
modelled <- function(metric, conditions, contrasts) {
  rows <- rows_of(metric)
  rows <- rows[rows$condition %in% conditions, , drop = FALSE]
  rows$condition <- factor(rows$condition, conditions)
  places <- do.call(rbind, lapply(tasks, function(q) unique(data.frame(session = q$session, condition = condition_of(q), stage = number(q$stage)))))
  places <- places[places$condition %in% conditions, , drop = FALSE]
  places$period <- ave(places$stage, places$session, FUN = rank)
  rows$period <- factor(places$period[match(paste(rows$session, rows$stage), paste(places$session, places$stage))])
  sequences <- tapply(places$condition[order(places$stage)], places$session[order(places$stage)], function(of) paste(unique(of), collapse = " "))
  rows$sequence <- factor(sequences[as.character(rows$session)])
  fixed <- if (length(plan$adjust_for)) vapply(plan$adjust_for, make.names, "") else character()
  for (of in setdiff(unlist(plan$adjust_for), c("period", "sequence"))) {
    answers <- read_table("answers")
    found <- answers[paste(answers$questionnaire, answers$item, sep = ".") == of & is.na(answers$stage), , drop = FALSE]
    found <- found[order(-number(found$attempt), -number(found$at_ms)), , drop = FALSE]
    if (nrow(found)) {
      rows[[make.names(of)]] <- number(found$answer_number[match(rows$session, found$session)])
    } else {
      # A score that a questionnaire declares.
      scores <- read_table("scores")
      found <- scores[paste(scores$questionnaire, scores$score, sep = ".") == of & is.na(scores$stage), , drop = FALSE]
      rows[[make.names(of)]] <- number(found$value[match(rows$session, found$session)])
    }
    rows <- rows[!is.na(rows[[make.names(of)]]), , drop = FALSE]
    rows[[make.names(of)]] <- rows[[make.names(of)]] - mean(rows[[make.names(of)]])
  }
  rows$both <- paste(rows$session, rows$condition)
  terms <- c("session", if (within_people) "both")
  if (!anyNA(rows$item) && length(unique(rows$item)) > 1 && 2 * length(unique(rows$item)) <= nrow(rows)) terms <- c(terms, "item")
  terms <- terms[vapply(terms, function(term) length(unique(rows[[term]])) < nrow(rows), TRUE)]
  formula <- as.formula(paste("value ~ condition", paste(c("", fixed), collapse = " + "), paste0(" + (1 | ", terms, ")", collapse = "")))
  people <- length(unique(rows$session))
  kind <- if (metric %in% c("completion_rate", "completion_rate_with_cut", "correct_rate", "naming_rate")) "logistic"
          else if (metric %in% c("confidence", "understanding", "difficulty")) "ordinal" else "linear"
  if (kind == "linear") {
    fit <- lmerTest::lmer(formula, rows, REML = TRUE)
    covariance <- NULL
  } else if (kind == "logistic") {
    fit <- lme4::glmer(formula, rows, binomial, control = lme4::glmerControl(optimizer = "bobyqa"))
    effects <- lme4::fixef(fit); covariance <- as.matrix(vcov(fit))
  } else {
    rows$value <- factor(rows$value, ordered = TRUE)
    fit <- ordinal::clmm(formula, rows)
    effects <- coef(fit); covariance <- vcov(fit)[names(effects), names(effects)]
  }
  do.call(rbind, lapply(contrasts, function(one) {
    weights <- unlist(one$weights)[conditions]; weights[is.na(weights)] <- 0
    of <- if (kind == "linear") names(lme4::fixef(fit)) else names(effects)
    l <- setNames(rep(0, length(of)), of)
    for (condition in conditions[-1]) l[paste0("condition", condition)] <- weights[[condition]]
    if (kind == "linear") {
      found <- lmerTest::contest1D(fit, l)
      return(row_of(one$kind, one$name, people, found$Estimate, found$`Std. Error`, found$`t value`, found$df, found$`Pr(>|t|)`))
    }
    estimate <- sum(l * effects); se <- sqrt(drop(l %*% covariance %*% l))
    row_of(one$kind, one$name, people, estimate, se, estimate / se, NA, 2 * pnorm(-abs(estimate / se)))
  }))
}

results <- list()
for (comparison in names(plan$comparisons)) for (metric in plan$metrics) {
  conditions <- plan$comparisons[[comparison]]
  weights_of <- function(a, b) setNames(as.list((conditions == a) - (conditions == b)), conditions)
  contrasts <- list()
  for (a in seq_along(conditions)) for (b in seq_along(conditions)) if (a < b) {
    name <- paste(conditions[[a]], "-", conditions[[b]])
    contrasts <- c(contrasts, list(list(kind = "pair", name = name, weights = weights_of(conditions[[a]], conditions[[b]]))))
  }
  for (name in names(plan$contrasts)) {
    weights <- plan$contrasts[[name]]
    if (all(names(weights) %in% conditions)) {
      all <- setNames(as.list(rep(0, length(conditions))), conditions); all[names(weights)] <- weights
      contrasts <- c(contrasts, list(list(kind = "contrast", name = name, weights = all)))
    }
  }
  values <- values_of(metric)
  missing <- setdiff(conditions, colnames(values))
  wide <- cbind(values, matrix(NA_real_, nrow(values), length(missing), dimnames = list(NULL, missing)))[, conditions, drop = FALSE]
  wide <- wide[if (within_people) complete.cases(wide) else rowSums(!is.na(wide)) > 0, , drop = FALSE]
  none <- metric %in% c("error_auc_change", "staircase_threshold", "staircase_reversals", "raw_tlx", "sus") || startsWith(metric, "score.")
  if (plan$test == "mixed_model" && none) next
  found <- if (plan$test == "mixed_model") modelled(metric, conditions, contrasts)
           else do.call(rbind, lapply(contrasts, function(one) tested(one$kind, one$name, wide, one$weights)))
  if (!is.null(found)) results <- c(results, list(cbind(comparison, metric, found)))
}
results <- do.call(rbind, results)
if (is.null(results)) stop("the plan compares nothing")
family <- if (plan$family == "study") results$kind else paste(results$kind, results$comparison, results$metric)
results$p_corrected <- ave(results$p, family, FUN = function(p) p.adjust(p, plan$correction))
rownames(results) <- NULL
print(results, digits = 4, width = 200)
write.csv(results, "analysis-r.csv", row.names = FALSE)
